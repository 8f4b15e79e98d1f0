/** A connection as the client sees it: requests become bytes, and received bytes become their answers. */
import { ClientStream, type Asked } from './client-stream.ts';
import { Connection, USUAL_LIMITS, type ConnectionEvents, type ConnectionOptions } from './connection.ts';
import { WINDOW_MAX, errorCodes, settingIds } from './frame.ts';
import { protocolError } from './frame-payload.ts';
import type { HeaderBlock } from './header-blocks.ts';
import { PREFACE } from './server-connection.ts';

/** Used while the server announces no smaller number. */
const STREAMS_MAX = 1000;
const LIMITS = { ...USUAL_LIMITS, streamsMax: STREAMS_MAX } as const;

export interface ClientEvents extends ConnectionEvents {
  /** The server's settings have arrived, which limit the number of streams. Called once. */
  ready(): void;
}

/** One request. */
export interface Request extends Asked {
  /** What `encodeFields` returned. */
  readonly block: Uint8Array;
  /** The request has no body. */
  readonly isEnd: boolean;
}

export class ClientConnection extends Connection<ClientStream> {
  readonly #events: ClientEvents;
  #isReady = false;
  /** Of this side. The first request has the number 1. */
  #lastStreamId = -1;

  constructor(events: ClientEvents, options: ConnectionOptions) {
    super(events, options, { preface: '', limits: LIMITS });
    this.#events = events;
    this.output.raw(PREFACE);
    this.begin([[settingIds.enablePush, 0]]);
  }

  /** Whether another request can be sent now. */
  get hasPlace(): boolean {
    const streamsMax = Math.min(this.peerSettings.streamsMax, this.limits.streamsMax);
    return this.#isReady && !this.isLeaving && this.opened.size < streamsMax;
  }

  /** Call it only while there is a place. */
  request(request: Request): ClientStream {
    const { block, isEnd } = request;
    this.#lastStreamId += 2;
    const stream = new ClientStream(this.#lastStreamId, this.peerSettings.streamWindow, {
      owner: this,
      asked: request,
    });
    this.opened.set(stream.id, stream);
    stream.sendHeaders(block, isEnd);
    // No number is used twice.
    if (this.#lastStreamId + 2 > WINDOW_MAX) this.leave();
    return stream;
  }

  /** A server opens none. */
  protected override get acceptedStreamId(): number {
    return 0;
  }

  protected override receiveBlock({ streamId, isEnd, isCircular, fields }: HeaderBlock): void {
    const stream = this.streamOf(streamId);
    if (isCircular) stream?.fail(errorCodes.protocol);
    else stream?.receiveHeaders(fields, isEnd);
  }

  protected override streamOf(streamId: number): ClientStream | undefined {
    if (streamId > this.#lastStreamId || streamId % 2 === 0) throw protocolError('a frame of an idle stream');
    return this.opened.get(streamId);
  }

  /** The server has not handled later requests, and never will. They can be repeated elsewhere. */
  protected override receiveGoAway(lastStreamId: number): void {
    this.isLeaving = true;
    for (const stream of this.opened.values())
      if (stream.id > lastStreamId) stream.abort(errorCodes.refusedStream);
    this.finishIfIdle();
  }

  protected override settled(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#events.ready();
  }
}
