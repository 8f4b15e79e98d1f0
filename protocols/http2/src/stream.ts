/** A request and its answer, as both sides see them: states (RFC 9113, section 5.1) and flow control (section 5.2). */
import { FRAME_BYTES_MAX, WINDOW_MAX, errorCodes, flags, frameTypes, type ErrorCode } from './frame.ts';
import type { FrameOutput } from './frame-output.ts';
import { fieldOf, type Fields } from './message-fields.ts';
import type { RepeatedValidity } from './repeated-validity.ts';
import { UnsentBytes } from './unsent-bytes.ts';

/** What happens on a stream. */
export interface StreamListener {
  /**
   * A part of the body. Copy it to keep it. Report it with `consumed` when it needs no memory any longer.
   */
  data(bytes: Uint8Array): void;
  /** Header fields after the data, before `end`. */
  trailers?(fields: Fields): void;
  /** The peer sends nothing more. */
  end(): void;
  /** All data that waited has been sent. */
  drained(): void;
  /** Everything was sent. Nothing more happens. Only on the side of the server. */
  completed?(): void;
  /**
   * The stream has ended too early, and nothing can be sent any longer. `code` is that of the peer's RST_STREAM, or of its fault. It
   * is absent when the connection has ended.
   */
  aborted(code?: number): void;
}

/** The connection, as its streams see it. */
export interface StreamOwner {
  readonly output: FrameOutput;
  readonly validity: RepeatedValidity;
  /** The bytes that the peer may send on a stream before they are consumed. */
  readonly streamWindow: number;
  /** The bytes of data that may be sent now, on all streams together. */
  room(): number;
  sent(bytes: number): void;
  /** Sends the output soon. */
  wake(): void;
  /** Calls `flush` when there is room again. */
  waits(stream: Stream): void;
  /** Data has arrived that nobody has consumed. */
  held(bytes: number): void;
  /** It is consumed, or nobody wants it any longer. */
  released(bytes: number): void;
  ended(stream: Stream): void;
  /** Counts a stream that had to be reset. Throws a ConnectionError when there were too many. */
  faulted(): void;
}

const NOBODY: StreamListener = {
  data: () => undefined,
  end: () => undefined,
  drained: () => undefined,
  aborted: () => undefined,
};

export abstract class Stream {
  readonly id: number;
  listener: StreamListener = NOBODY;
  protected readonly owner: StreamOwner;
  #sendWindow: number;
  #receiveWindow: number;
  /** Bytes that have arrived and are not consumed. */
  #unread = 0;
  /** Consumed bytes that the peer does not know of. */
  #consumed = 0;
  /** The bytes of the body that must still arrive, where the peer has announced its length. */
  #announced: number | undefined;
  #unsent: UnsentBytes | undefined;
  #trailers: Uint8Array | undefined;
  #endsWithData = false;
  #isSent = false;
  #isReceived = false;
  #isClosed = false;

  constructor(id: number, sendWindow: number, owner: StreamOwner) {
    this.id = id;
    this.#sendWindow = sendWindow;
    this.#receiveWindow = owner.streamWindow;
    this.owner = owner;
  }

  /** This side has sent everything. */
  protected abstract sentAll(): void;

  /** The peer has sent everything. Called before the listener hears of it. */
  protected abstract receivedAll(): void;

  /** False when nothing can be sent any longer. */
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** The bytes of data that wait until the peer has room. */
  get unsentBytes(): number {
    return this.#unsent?.length ?? 0;
  }

  /** This side has sent everything. */
  protected get isSent(): boolean {
    return this.#isSent;
  }

  protected get isReceived(): boolean {
    return this.#isReceived;
  }

  /** `block` is what `encodeFields` returned. With `isEnd`, nothing follows it. */
  sendHeaders(block: Uint8Array, isEnd: boolean): void {
    if (this.#isClosed || this.#isSent) return;
    this.owner.output.headers(this.id, block, isEnd);
    this.owner.wake();
    if (isEnd) this.#end();
  }

  /** Returns false when a part waits until the peer has room. What waits is copied. With `isEnd`, nothing follows. */
  sendData(bytes: Uint8Array, isEnd = false): boolean {
    if (this.#isClosed || this.#isSent) return true;
    this.#endsWithData ||= isEnd;
    if (this.#unsent !== undefined) {
      this.#unsent.append(bytes);
      return this.flush();
    }
    const sent = this.#sendFrames(bytes);
    this.owner.wake();
    if (sent < bytes.length) {
      this.#unsent = new UnsentBytes();
      this.#unsent.append(bytes.subarray(sent));
      return this.#wait();
    }
    if (isEnd) this.#end();
    return true;
  }

  /** Ends after all data. */
  sendTrailers(block: Uint8Array): void {
    if (this.#isClosed || this.#isSent) return;
    this.#trailers = block;
    this.flush();
  }

  /** The listener hears nothing more. */
  reset(code: ErrorCode): void {
    if (this.#isClosed) return;
    this.stop(code);
    this.close();
  }

  /** Lets the peer send that many bytes more. */
  consumed(bytes: number): void {
    if (this.#isClosed) return;
    this.#unread -= bytes;
    this.#consumed += bytes;
    this.owner.released(bytes);
    if (this.#isReceived || this.#consumed < this.owner.streamWindow / 2) return;
    const start = { type: frameTypes.windowUpdate, flags: flags.none, streamId: this.id };
    this.owner.output.numbers(start, this.#consumed);
    this.#receiveWindow += this.#consumed;
    this.#consumed = 0;
    this.owner.wake();
  }

  /** A DATA frame has arrived. `size` is that of its payload, with the padding. */
  receiveData(bytes: Uint8Array, size: number): void {
    if (this.#isReceived) return this.fail(errorCodes.streamClosed);
    this.#receiveWindow -= size;
    if (this.#receiveWindow < 0) return this.fail(errorCodes.flowControl);
    if (this.#announced !== undefined) {
      this.#announced -= bytes.length;
      if (this.#announced < 0) return this.fail(errorCodes.protocol);
    }
    this.#unread += size;
    this.owner.held(size);
    if (size > bytes.length) this.consumed(size - bytes.length);
    if (bytes.length > 0) this.listener.data(bytes);
  }

  /** Header fields after the data. They end the body. Undefined: they were too many. */
  receiveTrailers(fields: Fields | undefined, isEnd: boolean): void {
    if (this.#isReceived) return this.fail(errorCodes.streamClosed);
    if (fields === undefined || !isEnd || !this.owner.validity.areTrailers(fields))
      return this.fail(errorCodes.protocol);
    if (!this.endReceived()) return;
    this.listener.trailers?.(fields);
    this.listener.end();
  }

  /** The peer sends nothing more. */
  receiveEnd(): void {
    if (this.endReceived()) this.listener.end();
  }

  /** The body must have the length that its header fields announce (section 8.1.1). Returns false for an invalid length. */
  announce(fields: Fields): boolean {
    const length = fieldOf(fields, 'content-length');
    if (length === undefined) return true;
    this.#announced = Number(length);
    return /^\d{1,15}$/.test(length);
  }

  /** Returns false when the window is larger than allowed. */
  widen(bytes: number): boolean {
    this.#sendWindow += bytes;
    if (this.#sendWindow > WINDOW_MAX) return false;
    if (this.#unsent !== undefined && this.flush()) this.listener.drained();
    return true;
  }

  /** Resets the stream for a fault of the peer. Throws a ConnectionError when there were too many. */
  fail(code: ErrorCode): void {
    if (this.#isClosed) return;
    this.stop(code);
    this.abort(code);
    this.owner.faulted();
  }

  /** The peer has reset the stream, or the connection has ended. */
  abort(code?: number): void {
    if (this.#isClosed) return;
    this.close();
    this.listener.aborted(code);
  }

  /** Sends what the windows allow. Returns false when something waits. */
  flush(): boolean {
    if (this.#isClosed) return true;
    const unsent = this.#unsent;
    if (unsent !== undefined) {
      unsent.drop(this.#sendFrames(unsent.bytes));
      this.owner.wake();
      if (unsent.length > 0) return this.#wait();
      this.#unsent = undefined;
      if (this.#endsWithData) this.#end();
    }
    if (this.#trailers !== undefined) this.sendHeaders(this.#trailers, true);
    return true;
  }

  /** Returns false when nobody waits for the end, or it comes too early. The listener hears of it afterwards. */
  protected endReceived(): boolean {
    if (this.#isClosed || this.#isReceived) return false;
    if (this.#announced !== undefined && this.#announced > 0) {
      this.fail(errorCodes.protocol);
      return false;
    }
    this.#isReceived = true;
    this.receivedAll();
    return true;
  }

  protected close(): void {
    this.#isClosed = true;
    this.#unsent = undefined;
    this.owner.released(this.#unread);
    this.#unread = 0;
    this.owner.ended(this);
  }

  protected stop(code: ErrorCode): void {
    const start = { type: frameTypes.rstStream, flags: flags.none, streamId: this.id };
    this.owner.output.numbers(start, code);
    this.owner.wake();
  }

  #end(): void {
    this.#isSent = true;
    this.sentAll();
  }

  /** Returns how many of the bytes had room. */
  #sendFrames(bytes: Uint8Array): number {
    const { output } = this.owner;
    let at = 0;
    do {
      const left = bytes.length - at;
      const size = Math.max(0, Math.min(left, FRAME_BYTES_MAX, this.#sendWindow, this.owner.room()));
      if (size === 0 && left > 0) return at;
      const isLast = this.#endsWithData && size === left;
      const start = {
        type: frameTypes.data,
        flags: isLast ? flags.endStream : flags.none,
        streamId: this.id,
      };
      output.frame(start, size === bytes.length ? bytes : bytes.subarray(at, at + size));
      this.#sendWindow -= size;
      this.owner.sent(size);
      at += size;
    } while (at < bytes.length);
    return at;
  }

  /** A stream whose own window is full continues when that becomes wider, and does not wait for the connection. */
  #wait(): false {
    if (this.#sendWindow > 0) this.owner.waits(this);
    return false;
  }
}

/** Yields after each, because there may be thousands. */
export function* abortEach(streams: Iterable<Stream>): Generator<undefined, void> {
  for (const stream of streams) {
    stream.abort();
    yield undefined;
  }
}
