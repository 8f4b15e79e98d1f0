/** One request and its answer: states (RFC 9113, section 5.1) and flow control (section 5.2). */
import {
  FRAME_BYTES_MAX,
  WINDOW_DEFAULT,
  WINDOW_MAX,
  errorCodes,
  flags,
  frameTypes,
  type ErrorCode,
} from './frame.ts';
import type { FrameOutput } from './frame-output.ts';

/** What happens on a stream. */
export interface StreamListener {
  /** A part of the body. Report it with `consumed` when it needs no memory any longer. */
  data(bytes: Uint8Array): void;
  /** The request is complete. */
  end(): void;
  /** All data that waited has been sent. */
  drained(): void;
  /** The stream has ended before the answer was complete. Nothing can be sent any longer. */
  aborted(): void;
}

/** The connection, as its streams see it. */
export interface StreamOwner {
  readonly output: FrameOutput;
  /** The bytes of data that may be sent now, on all streams together. */
  room(): number;
  sent(bytes: number): void;
  /** Sends the output soon. */
  wake(): void;
  /** Calls `flush` when there is room again. */
  waits(stream: ServerStream): void;
  ended(stream: ServerStream): void;
}

const NOBODY: StreamListener = {
  data: () => undefined,
  end: () => undefined,
  drained: () => undefined,
  aborted: () => undefined,
};

export class ServerStream {
  readonly id: number;
  listener: StreamListener = NOBODY;
  readonly #owner: StreamOwner;
  #sendWindow: number;
  #receiveWindow = WINDOW_DEFAULT;
  /** Bytes that the listener has consumed and the client does not know of. */
  #consumed = 0;
  #queue: Uint8Array[] = NOTHING;
  #trailers: Uint8Array | undefined;
  #isRequestOver = false;
  #isClosed = false;

  constructor(id: number, sendWindow: number, owner: StreamOwner) {
    this.id = id;
    this.#sendWindow = sendWindow;
    this.#owner = owner;
  }

  /** False when nothing can be sent any longer. */
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** `block` is what `encodeFields` returned. With `isEnd`, it is the whole answer. */
  sendHeaders(block: Uint8Array, isEnd: boolean): void {
    if (this.#isClosed) return;
    this.#owner.output.headers(this.id, block, isEnd);
    if (isEnd) this.#close();
    this.#owner.wake();
  }

  /** Returns false when a part waits until the client has room. The bytes belong to the stream from then on. */
  sendData(bytes: Uint8Array): boolean {
    if (this.#isClosed) return true;
    if (this.#queue.length === 0) this.#queue = [];
    this.#queue.push(bytes);
    return this.flush();
  }

  /** Ends the answer after all data. */
  sendTrailers(block: Uint8Array): void {
    if (this.#isClosed) return;
    this.#trailers = block;
    this.flush();
  }

  reset(code: ErrorCode): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reset(code);
    this.#owner.ended(this);
  }

  /** Lets the client send that many bytes more. */
  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (this.#isClosed || this.#isRequestOver || this.#consumed < WINDOW_DEFAULT / 2) return;
    const start = { type: frameTypes.windowUpdate, flags: flags.none, streamId: this.id };
    this.#owner.output.numbers(start, this.#consumed);
    this.#receiveWindow += this.#consumed;
    this.#consumed = 0;
    this.#owner.wake();
  }

  /** A DATA frame has arrived. `size` is that of its payload, with the padding. */
  receiveData(bytes: Uint8Array, size: number): void {
    if (this.#isRequestOver) return this.abort(errorCodes.streamClosed);
    this.#receiveWindow -= size;
    if (this.#receiveWindow < 0) return this.abort(errorCodes.flowControl);
    if (size > bytes.length) this.consumed(size - bytes.length);
    if (bytes.length > 0) this.listener.data(bytes);
  }

  /** Header fields after the data. They end the request, and only their end counts. */
  receiveTrailers(isValid: boolean): void {
    if (this.#isRequestOver) return this.abort(errorCodes.streamClosed);
    if (!isValid) return this.abort(errorCodes.protocol);
    this.receiveEnd();
  }

  /** The client sends nothing more. */
  receiveEnd(): void {
    if (this.#isClosed || this.#isRequestOver) return;
    this.#isRequestOver = true;
    this.listener.end();
  }

  /** Returns false when the window is larger than allowed. */
  widen(bytes: number): boolean {
    this.#sendWindow += bytes;
    if (this.#sendWindow > WINDOW_MAX) return false;
    if (this.#queue.length > 0 && this.flush()) this.listener.drained();
    return true;
  }

  /** Resets the stream for a fault of the client, or without a frame when the client has ended it. */
  abort(code?: ErrorCode): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = NOTHING;
    if (code !== undefined) this.#reset(code);
    this.#owner.ended(this);
    this.listener.aborted();
  }

  /** Sends what the windows allow. Returns false when something waits. */
  flush(): boolean {
    if (this.#isClosed) return true;
    const waited = this.#queue.length > 0;
    while (this.#queue.length > 0) if (!this.#sendFirst()) return this.#wait();
    if (waited) this.#owner.wake();
    if (this.#trailers !== undefined) this.sendHeaders(this.#trailers, true);
    return true;
  }

  /** Sends a frame of the first piece. Returns false when there is no room. */
  #sendFirst(): boolean {
    const { output } = this.#owner;
    const [first = EMPTY] = this.#queue;
    const size = Math.min(first.length, FRAME_BYTES_MAX, this.#sendWindow, this.#owner.room());
    if (size <= 0 && first.length > 0) return false;
    output.frame({ type: frameTypes.data, flags: flags.none, streamId: this.id }, first.subarray(0, size));
    this.#sendWindow -= size;
    this.#owner.sent(size);
    if (size === first.length) this.#queue.shift();
    else this.#queue[0] = first.subarray(size);
    return true;
  }

  /** A stream whose own window is full continues when that becomes wider, and does not wait for the connection. */
  #wait(): false {
    this.#owner.wake();
    if (this.#sendWindow > 0) this.#owner.waits(this);
    return false;
  }

  /** The answer is complete. A client that still sends is stopped without an error (section 8.1). */
  #close(): void {
    this.#isClosed = true;
    if (!this.#isRequestOver) this.#reset(errorCodes.none);
    this.#owner.ended(this);
  }

  #reset(code: ErrorCode): void {
    const start = { type: frameTypes.rstStream, flags: flags.none, streamId: this.id };
    this.#owner.output.numbers(start, code);
    this.#owner.wake();
  }
}

const EMPTY = new Uint8Array(0);
/** Shared, because most streams never wait. It is never changed. */
const NOTHING: Uint8Array[] = [];
