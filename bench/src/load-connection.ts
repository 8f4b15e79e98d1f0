/** One connection of the load of HTTP. It uses a socket, because a client library would be slower than the servers. */
import { connect, type Socket } from 'node:net';

const HEADERS_END = Buffer.from('\r\n\r\n');

type OnAnswer = (isOk: boolean, dueMs: number) => void;

export interface LoadServer {
  readonly host: string;
  readonly port: number;
}

/** One request at a time. A connection that the server closes is opened again. */
export class LoadConnection {
  readonly #server: LoadServer;
  readonly #onClosed: () => void;
  #socket: Socket | undefined;
  /** The beginning of an answer, until the end of its head. */
  #received: Buffer = Buffer.alloc(0);
  /** The bytes of an answer that are still to come. Undefined before the end of its head. */
  #left: number | undefined;
  #isOk = false;
  #asked: { readonly dueMs: number; readonly onAnswer: OnAnswer } | undefined;
  #isEnded = false;

  /** `onClosed` is called when the server closes it between two requests. */
  constructor(server: LoadServer, onClosed: () => void) {
    this.#server = server;
    this.#onClosed = onClosed;
  }

  async open(): Promise<void> {
    const socket = connect(this.#server.port, this.#server.host);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    // The closing follows an error.
    socket.on('error', () => undefined);
    socket.once('close', () => void this.#lost());
    this.#socket = socket;
  }

  ask(request: string, dueMs: number, onAnswer: OnAnswer): void {
    this.#asked = { dueMs, onAnswer };
    this.#socket?.write(request);
  }

  end(): void {
    this.#isEnded = true;
    this.#socket?.destroy();
  }

  async #lost(): Promise<void> {
    if (this.#isEnded) return;
    this.#received = Buffer.alloc(0);
    this.#left = undefined;
    await this.open();
    if (this.#asked === undefined) this.#onClosed();
    else this.#answer(false);
  }

  #take(chunk: Buffer): void {
    if (this.#left === undefined) this.#takeHead(chunk);
    else this.#left -= chunk.length;
    if (this.#left === undefined || this.#left > 0) return;
    this.#left = undefined;
    this.#answer(this.#isOk);
  }

  #takeHead(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEADERS_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    this.#isOk = head.startsWith('HTTP/1.1 200');
    this.#left = headEnd + HEADERS_END.length + length - this.#received.length;
    this.#received = Buffer.alloc(0);
  }

  #answer(isOk: boolean): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.onAnswer(isOk, asked.dueMs);
  }
}
