import { ipv4ToNumber, type Ipv4 } from './ipv4.ts';

const SHORT_BYTES = 32;

/**
 * Writes big-endian fields into a zeroed buffer of a fixed capacity. Writing past the capacity is a bug of the caller, which must
 * check `remaining`, and throws RangeError. Bytes not written are zero, never old memory.
 */
export class ByteWriter {
  readonly #bytes: Uint8Array;
  #position = 0;

  /** Writes to the start of `into`, which is cleared first, when it is large enough, and otherwise to new memory. */
  constructor(capacity: number, into?: Uint8Array) {
    if (into === undefined || into.length < capacity) {
      this.#bytes = new Uint8Array(capacity);
    } else {
      this.#bytes = into.subarray(0, capacity).fill(0);
    }
  }

  get length(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  uint8(value: number): void {
    const at = this.#advance(1);
    this.#bytes[at] = value;
  }

  uint16(value: number): void {
    const at = this.#advance(2);
    this.#bytes[at] = value >>> 8;
    this.#bytes[at + 1] = value;
  }

  uint32(value: number): void {
    this.uint16(value >>> 16);
    this.uint16(value & 0xffff);
  }

  ipv4(value: Ipv4): void {
    this.uint32(ipv4ToNumber(value));
  }

  bytes(value: Uint8Array | readonly number[]): void {
    const at = this.#advance(value.length);
    // Most values have a few bytes, and setting them one by one is faster than the call that copies.
    if (value.length > SHORT_BYTES) this.#bytes.set(value, at);
    else for (let index = 0; index < value.length; index++) this.#bytes[at + index] = value[index] ?? 0;
  }

  zeros(count: number): void {
    this.#advance(count);
  }

  /** Writes `value` followed by zeros up to `length`. A longer value is a bug of the caller. */
  padded(value: Uint8Array, length: number): void {
    if (value.length > length) throw new RangeError(`${value.length} bytes do not fit a field of ${length}`);
    this.bytes(value);
    this.zeros(length - value.length);
  }

  /** Returns what was written so far. */
  finish(): Uint8Array {
    return this.#position === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#position);
  }

  #advance(count: number): number {
    const at = this.#position;
    if (count > this.#bytes.length - at) {
      throw new RangeError(`write of ${count} bytes at ${at} passes the capacity of ${this.#bytes.length}`);
    }
    this.#position = at + count;
    return at;
  }
}
