/** Carries bytes between a socket and a connection of HTTP/2. */
import type { Socket } from 'node:net';
import type { ClientConnection, ConnectionEvents, ErrorCode, ServerConnection } from '@tinkerbell/http2';
import { backlog } from './backlog.ts';
import { destroyAfter } from './destroy-after.ts';
import { receiveLater } from './http2-socket.ts';

/** The limit for a peer that sends much and reads nothing, such as pings. */
const UNSENT_BYTES_MAX = 2 * 1024 * 1024;
/** The time for the last bytes of a connection that has ended. A peer that does not read them must not keep it. */
const FAREWELL_MS = 5000;

export interface TransportOptions {
  /** Default: 2 MiB. */
  readonly unsentBytesMax?: number;
  /**
   * When output leaves. With `setImmediate`, the default, what the reads of one turn of the event loop cause leaves in one piece: system calls
   * cost more than frames. With `process.nextTick` or a promise, each read is answered by itself, and sooner.
   */
  readonly soon?: (flush: (transport: Http2Transport) => void, transport: Http2Transport) => void;
  /** Called when the peer breaks the protocol. */
  readonly failed?: (code: ErrorCode) => void;
}

export class Http2Transport implements ConnectionEvents {
  readonly #socket: Socket;
  readonly #unsentBytesMax: number;
  readonly #soon: NonNullable<TransportOptions['soon']>;
  readonly #failed: TransportOptions['failed'];
  #connection: ServerConnection | ClientConnection | undefined;
  #isFinished = false;

  constructor(
    socket: Socket,
    { unsentBytesMax = UNSENT_BYTES_MAX, soon = setImmediate, failed }: TransportOptions,
  ) {
    this.#socket = socket;
    this.#unsentBytesMax = unsentBytesMax;
    this.#soon = soon;
    this.#failed = failed;
  }

  /** Sends what the connection sends. The caller passes on what the socket receives. */
  carry(connection: ServerConnection | ClientConnection): void {
    const socket = this.#socket;
    this.#connection = connection;
    socket.on('drain', () => connection.block(false));
    socket.on('close', () => backlog.end(connection.lost()));
  }

  output(): void {
    this.#soon(flush, this);
  }

  paused(): void {
    if (this.#connection !== undefined) receiveLater(this.#socket, this.#connection);
  }

  finished(code: ErrorCode): void {
    this.#isFinished = true;
    this.output();
    if (code !== 0) this.#failed?.(code);
    if (this.#connection !== undefined) backlog.end(this.#connection.lost());
  }

  flush(): void {
    const socket = this.#socket;
    const bytes = this.#connection?.takeOutput();
    if (socket.destroyed || socket.writableEnded || bytes === undefined) return;
    if (bytes.length > 0 && !socket.write(bytes)) this.#connection?.block(true);
    if (socket.writableLength > this.#unsentBytesMax) socket.destroy();
    else if (this.#isFinished) {
      destroyAfter(socket, FAREWELL_MS);
      socket.end();
    }
  }
}

function flush(transport: Http2Transport): void {
  transport.flush();
}
