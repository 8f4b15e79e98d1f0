import { DecodeError } from './decode-error.ts';
import { ipv4FromNumber, type Ipv4 } from './ipv4.ts';
import { plainBytes } from './plain-bytes.ts';

/**
 * Reads big-endian fields from bytes and never past their end. A read that does not fit throws DecodeError `truncated` with the
 * offset and the field's name. `baseOffset` makes the offsets of a nested reader relative to the whole packet.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #baseOffset: number;
  #position = 0;

  constructor(bytes: Uint8Array, baseOffset = 0) {
    this.#bytes = plainBytes(bytes);
    this.#baseOffset = baseOffset;
  }

  /** Offset of the next byte, counted from the start of the whole packet. */
  get offset(): number {
    return this.#baseOffset + this.#position;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  uint8(field: string): number {
    const at = this.#advance(1, field);
    return this.#bytes[at] ?? 0;
  }

  uint16(field: string): number {
    const at = this.#advance(2, field);
    return ((this.#bytes[at] ?? 0) << 8) | (this.#bytes[at + 1] ?? 0);
  }

  uint32(field: string): number {
    const high = this.uint16(field);
    return high * 0x1_0000 + this.uint16(field);
  }

  ipv4(field: string): Ipv4 {
    return ipv4FromNumber(this.uint32(field));
  }

  /** Returns a copy of the next `length` bytes, which does not change when the receive buffer is reused. */
  bytes(length: number, field: string): Uint8Array {
    const at = this.#advance(length, field);
    return this.#bytes.slice(at, at + length);
  }

  /** Skips bytes that the caller reads in place. */
  skip(length: number, field: string): void {
    this.#advance(length, field);
  }

  /** Returns the bytes up to, not including, the next NUL, which is consumed too. Throws `unterminated` when there is no NUL. */
  untilNul(field: string): Uint8Array {
    const end = this.#bytes.indexOf(0, this.#position);
    if (end < 0) this.fail('unterminated', field, 'no terminating NUL');
    const text = this.#bytes.slice(this.#position, end);
    this.#position = end + 1;
    return text;
  }

  fail(code: string, field: string, detail: string): never {
    throw new DecodeError({ code, offset: this.offset, field }, detail);
  }

  #advance(length: number, field: string): number {
    const at = this.#position;
    if (length > this.#bytes.length - at) {
      this.fail('truncated', field, `needs ${length} bytes, ${this.remaining} left`);
    }
    this.#position = at + length;
    return at;
  }
}
