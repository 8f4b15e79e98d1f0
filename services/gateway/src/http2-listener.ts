/** Connections of clients that speak HTTP/2. */
import type { Socket } from 'node:net';
import { http2Options, Http2Transport, receiveFrom } from '@tinkerbell/engine-http-connections';
import { ServerConnection } from '@tinkerbell/http2';
import { connectionFactsOf } from './connection-facts.ts';
import type { Exchange } from './exchange.ts';
import { Http2Exchange } from './http2-exchange.ts';
import { RequestHeads } from './request-head.ts';

export interface Http2Limits {
  readonly fieldBytesMax: number;
  readonly idleTimeoutMs: number;
}

/** Requests with more header fields are refused. */
const FIELDS_MAX = 128;
const STREAMS_MAX = 250;
/** The streams that a client may reset at once (CVE-2023-44487). */
const RESETS_BURST = 200;
const WINDOW_BYTES = 1024 * 1024;
/** Of one connection. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

export class Http2Listener {
  readonly #on: { readonly exchange: (exchange: Exchange) => void; readonly fault: (reason: string) => void };
  readonly #idleTimeoutMs: number;
  readonly #options;
  readonly #connections = new Set<ServerConnection>();

  constructor(
    on: { readonly exchange: (exchange: Exchange) => void; readonly fault: (reason: string) => void },
    { fieldBytesMax, idleTimeoutMs }: Http2Limits,
  ) {
    this.#on = on;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#options = http2Options({
      fieldBytesMax,
      fieldsMax: FIELDS_MAX,
      streamsMax: STREAMS_MAX,
      streamWindow: WINDOW_BYTES,
      unreadBytesMax: UNREAD_BYTES_MAX,
      resetsBurst: RESETS_BURST,
    });
  }

  /** `first` has arrived already. */
  accept(socket: Socket, first?: Uint8Array): void {
    const facts = connectionFactsOf(socket);
    const heads = new RequestHeads();
    const transport = new Http2Transport(socket, {
      failed: () => this.#on.fault('http2-session'),
      soon: afterRead,
    });
    const connection: ServerConnection = new ServerConnection(
      {
        output: () => transport.output(),
        paused: () => transport.paused(),
        finished: (code) => transport.finished(code),
        request: (stream, raw, isEnd) =>
          this.#on.exchange(new Http2Exchange(stream, { head: heads.of(raw), isEnd, connection: facts })),
      },
      this.#options,
    );
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    socket.setTimeout(this.#idleTimeoutMs, () => connection.leave());
    transport.carry(connection);
    if (first !== undefined) connection.receive(first);
    receiveFrom(socket, (bytes) => connection.receive(bytes));
  }

  /** Active requests continue, and connections end with their last one. */
  leave(): void {
    for (const connection of this.#connections) connection.leave();
  }
}

const done = Promise.resolve();

/**
 * Sends answers right after the read of the upstream that has caused them. Node completes each write over TLS with an immediate of its own, which
 * would be another turn of the event loop after a write in `setImmediate`.
 */
function afterRead(flush: (transport: Http2Transport) => void, transport: Http2Transport): void {
  void done.then(() => flush(transport));
}
