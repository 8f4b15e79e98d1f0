/** A connection as the server sees it: received bytes become requests, and answers become bytes. */
import { Connection, USUAL_LIMITS, type ConnectionEvents, type ConnectionOptions } from './connection.ts';
import { errorCodes, settingIds, type ErrorCode } from './frame.ts';
import { protocolError } from './frame-payload.ts';
import type { HeaderBlock } from './header-blocks.ts';
import type { Fields } from './message-fields.ts';
import { ServerStream } from './server-stream.ts';

/** A client announces HTTP/2 by these characters (RFC 9113, section 3.4). */
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** Thousands of agents behind a proxy share a connection, with two streams and a call each. */
const STREAMS_MAX = 65_536;
/** A few calls. Clients may flood, and an upstream may not. */
const FRAMES_AT_ONCE = 50;
const LIMITS = { ...USUAL_LIMITS, streamsMax: STREAMS_MAX, framesAtOnce: FRAMES_AT_ONCE } as const;

export interface ServerEvents extends ConnectionEvents {
  /** With `isEnd`, the request has no body. */
  request(stream: ServerStream, fields: Fields, isEnd: boolean): void;
}

export class ServerConnection extends Connection<ServerStream> {
  readonly #events: ServerEvents;
  /** The last stream that the client has begun, accepted or not. */
  #begunStreamId = 0;
  #acceptedStreamId = 0;

  constructor(events: ServerEvents, options: ConnectionOptions) {
    super(events, options, { preface: PREFACE, limits: LIMITS });
    this.#events = events;
    this.begin([[settingIds.maxConcurrentStreams, this.limits.streamsMax]]);
  }

  protected override get acceptedStreamId(): number {
    return this.#acceptedStreamId;
  }

  protected override receiveBlock({ streamId, isEnd, isCircular, fields }: HeaderBlock): void {
    const known = this.opened.get(streamId);
    if (known !== undefined)
      return isCircular ? known.fail(errorCodes.protocol) : known.receiveTrailers(fields, isEnd);
    if (streamId % 2 === 0) throw protocolError('a stream of the server');
    this.#begunStreamId = Math.max(this.#begunStreamId, streamId);
    // Of a stream that was reset while they were on their way, or sent after the server has announced that it leaves.
    if (streamId <= this.#acceptedStreamId || this.isLeaving) return;
    this.#acceptedStreamId = streamId;
    const stream = new ServerStream(streamId, this.peerSettings.streamWindow, this);
    if (this.opened.size >= this.limits.streamsMax) return this.#refuse(stream, errorCodes.refusedStream);
    if (fields === undefined) return this.#refuse(stream, errorCodes.enhanceYourCalm);
    if (isCircular || !this.validity.isRequest(fields) || !stream.announce(fields))
      return this.#refuse(stream, errorCodes.protocol);
    this.opened.set(streamId, stream);
    this.#events.request(stream, fields, isEnd);
    if (isEnd) stream.receiveEnd();
  }

  protected override streamOf(streamId: number): ServerStream | undefined {
    if (streamId > this.#begunStreamId || streamId % 2 === 0)
      throw protocolError('a frame of an idle stream');
    return this.opened.get(streamId);
  }

  protected override receiveGoAway(): void {
    // The client opens no further stream, and nothing is pushed to it.
  }

  #refuse(stream: ServerStream, code: ErrorCode): void {
    stream.reset(code);
    this.faulted();
  }
}
