/** A client's connection: carries bytes between its socket and the protocol, and notices when the client is gone. */
import type { Socket } from 'node:net';
import { Http2Transport, receiveFrom } from '@tinkerbell/engine-http-connections';
import {
  ServerConnection,
  fieldOf,
  type ErrorCode,
  type ServerEvents,
  type Fields,
  type ServerStream,
  type ConnectionOptions,
} from '@tinkerbell/http2';
import type { Clock } from '@tinkerbell/platform-contract';
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
  readonly #transport: Http2Transport;
  #heardMs: number;
  #askedMs: number | undefined;

  constructor(socket: Socket, deps: GrpcConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#heardMs = deps.clock.monotonicMs();
    const { clock } = deps;
    this.#transport = new Http2Transport(socket, {
      unsentBytesMax: UNSENT_BYTES_MAX,
      soon: (flush, transport) => process.nextTick(flush, transport),
    });
    this.#http2 = new ServerConnection(this, deps.http2);
    this.#transport.carry(this.#http2);
    receiveFrom(socket, (bytes) => {
      this.#heardMs = clock.monotonicMs();
      this.#askedMs = undefined;
      this.#http2.receive(bytes);
    });
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

  output(): void {
    this.#transport.output();
  }

  paused(): void {
    this.#transport.paused();
  }

  finished(code: ErrorCode): void {
    this.#transport.finished(code);
  }
}
