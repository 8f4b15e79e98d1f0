/** Carries bytes between a socket and a connection of HTTP/2. */
import type { Socket } from 'node:net';
import { destroyAfter, receiveLater } from '@tinkerbell/engine-http-connections';
import type { ClientConnection, ConnectionEvents, ErrorCode, ServerConnection } from '@tinkerbell/http2';
import { inTurns } from '@tinkerbell/platform-contract';

/** The limit for a peer that sends much and reads nothing, such as pings. */
const UNSENT_BYTES_MAX = 2 * 1024 * 1024;
/** The time for the last bytes of a connection that has ended. */
const FAREWELL_MS = 5000;

export class Http2Transport implements ConnectionEvents {
  readonly #socket: Socket;
  readonly #failed: (code: ErrorCode) => void;
  #connection: ServerConnection | ClientConnection | undefined;
  #isFinished = false;

  /** `failed` is called when the peer breaks the protocol. */
  constructor(socket: Socket, failed: (code: ErrorCode) => void) {
    this.#socket = socket;
    this.#failed = failed;
  }

  /** Sends what the connection sends. The caller passes on what the socket receives. */
  carry(connection: ServerConnection | ClientConnection): void {
    const socket = this.#socket;
    this.#connection = connection;
    socket.on('drain', () => connection.block(false));
    socket.on('close', () => void inTurns(connection.lost()));
  }

  /** What the reads of one turn of the event loop cause leaves in one piece: system calls cost more than frames. */
  output(): void {
    setImmediate(flush, this);
  }

  paused(): void {
    if (this.#connection !== undefined) receiveLater(this.#socket, this.#connection);
  }

  finished(code: ErrorCode): void {
    this.#isFinished = true;
    this.output();
    if (code !== 0) this.#failed(code);
    if (this.#connection !== undefined) void inTurns(this.#connection.lost());
  }

  flush(): void {
    const socket = this.#socket;
    const bytes = this.#connection?.takeOutput();
    if (socket.destroyed || socket.writableEnded || bytes === undefined) return;
    if (bytes.length > 0 && !socket.write(bytes)) this.#connection?.block(true);
    if (socket.writableLength > UNSENT_BYTES_MAX) socket.destroy();
    else if (this.#isFinished) this.#part();
  }

  /** A peer that does not read what is left must not keep the connection. */
  #part(): void {
    const socket = this.#socket;
    destroyAfter(socket, FAREWELL_MS);
    socket.destroySoon();
  }
}

function flush(transport: Http2Transport): void {
  transport.flush();
}
