/** Bodies of HTTP/2 as streams of Node, for what is not relayed as frames. */
import { Readable, Writable } from 'node:stream';
import { UnsentBytes, errorCodes, type Stream } from '@tinkerbell/http2';

const NO_BYTES = new Uint8Array(0);

/** A body that arrives. The peer may send more when a part is read. */
export class IncomingBody extends Readable {
  readonly #stream: Stream;
  readonly #unread = new UnsentBytes();
  #isWanted = false;
  #isOver = false;
  #isCut = false;

  constructor(stream: Stream) {
    super();
    this.#stream = stream;
  }

  /** It has ended incomplete. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The bytes that have arrived and that nobody has read. */
  get unreadBytes(): number {
    return this.readableLength + this.#unread.length;
  }

  /** The frames of one packet are read as one part, because there can be thousands. */
  arrived(bytes: Uint8Array): void {
    this.#unread.append(bytes);
    if (!this.#isWanted) return;
    this.#isWanted = false;
    process.nextTick(read, this);
  }

  finish(): void {
    this.#isOver = true;
    if (this.#isWanted) read(this);
  }

  cut(): void {
    this.#isCut = true;
    this.destroy();
  }

  override _read(): void {
    const { length } = this.#unread;
    this.#isWanted = length === 0 && !this.#isOver;
    if (length > 0) {
      const part = Buffer.from(this.#unread.bytes);
      this.#unread.drop(length);
      this.#stream.consumed(length);
      this.#isWanted = this.push(part) && !this.#isOver;
    }
    if (this.#isOver && this.#unread.length === 0) this.push(null);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.readableEnded && !this.#isOver) this.#stream.reset(errorCodes.cancel);
    done(error);
  }
}

function read(body: IncomingBody): void {
  if (!body.destroyed) body._read();
}

/** A body that is sent, as fast as the peer reads. */
export class OutgoingBody extends Writable {
  readonly #stream: Stream;
  readonly #finish: () => void;
  #written: (() => void) | undefined;

  /** `finish` ends the stream after the body (default: without trailers). */
  constructor(stream: Stream, finish = (): void => void stream.sendData(NO_BYTES, true)) {
    super();
    this.#stream = stream;
    this.#finish = finish;
  }

  drained(): void {
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  override _write(chunk: Uint8Array, _: string, done: () => void): void {
    if (this.#stream.sendData(chunk)) done();
    else this.#written = done;
  }

  override _final(done: () => void): void {
    this.#finish();
    done();
  }
}
