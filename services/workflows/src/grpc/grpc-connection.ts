/** A client's connection: carries bytes between its socket and the protocol, and notices when the client is gone. */
import type { Socket } from 'node:net';
import { receiveLater } from '@tinkerbell/engine-http-connections';
import {
  ServerConnection,
  fieldOf,
  type ServerEvents,
  type Fields,
  type ServerStream,
  type ConnectionOptions,
} from '@tinkerbell/http2';
import { inTurns, type Clock } from '@tinkerbell/platform-contract';
import { httpRefusal, trailersOnly } from './answer-fields.ts';
import { CallFailure } from './call-failure.ts';
import { grpcStatus } from './grpc-status.ts';
import { ServerCall, type CallHandler, type CallMethod, type CallPeer } from './server-call.ts';

/** A client that was silent for so long is asked for a sign of life. */
const SILENCE_MS = 30_000;
/** Any byte of the client answers the question. */
const ANSWER_MS = 20_000;
/** The limit for a client that sends much and reads nothing. */
const UNSENT_BYTES_MAX = 8 * 1024 * 1024;
const CONTENT_TYPE = /^application\/grpc($|\+proto$|;)/;

export interface ServedMethod {
  readonly method: CallMethod;
  readonly handler: CallHandler<unknown, unknown>;
}

export interface GrpcConnectionDeps {
  readonly clock: Clock;
  /** By path. */
  readonly methods: ReadonlyMap<string, ServedMethod>;
  readonly http2: ConnectionOptions;
}

export class GrpcConnection implements ServerEvents, CallPeer {
  heldBytes = 0;
  readonly #socket: Socket;
  readonly #deps: GrpcConnectionDeps;
  readonly #http2: ServerConnection;
  #heardMs: number;
  #askedMs: number | undefined;
  #isFinished = false;

  constructor(socket: Socket, deps: GrpcConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#heardMs = deps.clock.monotonicMs();
    const { clock } = deps;
    this.#http2 = new ServerConnection(this, deps.http2);
    socket.on('data', (bytes: Buffer) => {
      this.#heardMs = clock.monotonicMs();
      this.#askedMs = undefined;
      this.#http2.receive(bytes);
    });
    socket.on('drain', () => this.#http2.block(false));
    socket.on('close', () => this.#lose());
    // It is followed by the close.
    socket.on('error', () => undefined);
  }

  /** Lets open calls end, and accepts no new ones. */
  leave(): void {
    this.#http2.leave();
  }

  /** Called every few seconds. */
  watch(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#askedMs !== undefined) {
      if (nowMs - this.#askedMs >= ANSWER_MS) this.#socket.destroy();
    } else if (nowMs - this.#heardMs >= SILENCE_MS) {
      this.#askedMs = nowMs;
      this.#http2.ping();
    }
  }

  address(): string {
    const { remoteAddress = 'unknown', remotePort = 0, remoteFamily } = this.#socket;
    return `${remoteFamily === 'IPv6' ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
  }

  request(stream: ServerStream, fields: Fields): void {
    if (fieldOf(fields, ':method') !== 'POST') return stream.sendHeaders(httpRefusal(405), true);
    if (!CONTENT_TYPE.test(fieldOf(fields, 'content-type') ?? ''))
      return stream.sendHeaders(httpRefusal(415), true);
    const path = fieldOf(fields, ':path') ?? '';
    const served = this.#deps.methods.get(path);
    if (served === undefined) {
      const details = `The server does not implement the method ${path}`;
      return stream.sendHeaders(trailersOnly(grpcStatus.unimplemented, details), true);
    }
    try {
      new ServerCall({ stream, fields, peer: this, clock: this.#deps.clock, ...served }).begin();
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      stream.sendHeaders(trailersOnly(error.code, error.message), true);
    }
  }

  /** Answers of one turn of the event loop are sent in one piece. */
  output(): void {
    process.nextTick(flush, this);
  }

  paused(): void {
    receiveLater(this.#socket, this.#http2);
  }

  finished(): void {
    this.#isFinished = true;
    this.output();
    this.#lose();
  }

  flush(): void {
    const bytes = this.#http2.takeOutput();
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (bytes.length > 0 && !this.#socket.write(bytes)) this.#http2.block(true);
    if (this.#socket.writableLength > UNSENT_BYTES_MAX) this.#socket.destroy();
    if (this.#isFinished) this.#socket.end();
  }

  #lose(): void {
    void inTurns(this.#http2.lost());
  }
}

function flush(connection: GrpcConnection): void {
  connection.flush();
}
