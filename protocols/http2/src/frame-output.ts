import { FRAME_BYTES_MAX, FRAME_HEADER_BYTES, flags, frameTypes } from './frame.ts';

/** Enough for the whole answer of a small call. */
const BYTES_MIN = 256;

/** Returns memory with any content. */
export type Allocate = (bytes: number) => Uint8Array;

interface FrameStart {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
}

/** Collects frames until they are sent in one piece. */
export class FrameOutput {
  readonly #allocate: Allocate;
  #bytes: Uint8Array | undefined;
  #length = 0;

  constructor(allocate: Allocate) {
    this.#allocate = allocate;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the frames since the last call. They belong to the caller. */
  take(): Uint8Array {
    const bytes = this.#bytes?.subarray(0, this.#length) ?? new Uint8Array(0);
    this.#bytes = undefined;
    this.#length = 0;
    return bytes;
  }

  /** Characters before the first frame, one byte each. */
  raw(text: string): void {
    const bytes = this.#reserve(text.length);
    for (let at = 0; at < text.length; at++) bytes[this.#length + at] = text.charCodeAt(at);
    this.#length += text.length;
  }

  frame(start: FrameStart, payload: Uint8Array): void {
    this.#begin(start, payload.length);
    this.#append(payload);
  }

  /** The payload consists of 32-bit numbers. */
  numbers(start: FrameStart, ...numbers: readonly number[]): void {
    this.#begin(start, numbers.length * 4);
    for (const number of numbers) this.#number(number);
  }

  /** The payload consists of a 16-bit and a 32-bit number each. */
  settings(settings: readonly (readonly [id: number, value: number])[]): void {
    this.#begin({ type: frameTypes.settings, flags: flags.none, streamId: 0 }, settings.length * 6);
    for (const [id, value] of settings) {
      const bytes = this.#reserve(2);
      bytes[this.#length] = id >>> 8;
      bytes[this.#length + 1] = id;
      this.#length += 2;
      this.#number(value);
    }
  }

  /** Header fields that hpack-encoder.ts has encoded, in as many frames as they need. */
  headers(streamId: number, block: Uint8Array, isEnd: boolean): void {
    let at = 0;
    do {
      const part = block.subarray(at, at + FRAME_BYTES_MAX);
      const isFirst = at === 0;
      at += part.length;
      const type = isFirst ? frameTypes.headers : frameTypes.continuation;
      const end = isFirst && isEnd ? flags.endStream : 0;
      this.frame({ type, flags: end | (at === block.length ? flags.endHeaders : 0), streamId }, part);
    } while (at < block.length);
  }

  #begin({ type, flags: bits, streamId }: FrameStart, length: number): void {
    const bytes = this.#reserve(FRAME_HEADER_BYTES + length);
    const at = this.#length;
    bytes[at] = length >>> 16;
    bytes[at + 1] = length >>> 8;
    bytes[at + 2] = length;
    bytes[at + 3] = type;
    bytes[at + 4] = bits;
    this.#length += 5;
    this.#number(streamId);
  }

  #number(number: number): void {
    const bytes = this.#reserve(4);
    const at = this.#length;
    bytes[at] = number >>> 24;
    bytes[at + 1] = number >>> 16;
    bytes[at + 2] = number >>> 8;
    bytes[at + 3] = number;
    this.#length += 4;
  }

  #append(part: Uint8Array): void {
    this.#reserve(part.length).set(part, this.#length);
    this.#length += part.length;
  }

  #reserve(more: number): Uint8Array {
    const needed = this.#length + more;
    const before = this.#bytes;
    if (before !== undefined && before.length >= needed) return before;
    const bytes = this.#allocate(Math.max(BYTES_MIN, needed * 2));
    if (before !== undefined) bytes.set(before.subarray(0, this.#length));
    this.#bytes = bytes;
    return bytes;
  }
}
