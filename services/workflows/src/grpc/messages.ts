/** Splits a body into its messages: a byte that is 1 for a compressed one, the length in four bytes, and the message. */

export const PREFIX_BYTES = 5;
const NOTHING = Buffer.alloc(0);

export interface RawMessage {
  readonly isCompressed: boolean;
  readonly bytes: Buffer;
}

export class MessageSplitter {
  readonly #bytesMax: number;
  /** Copies with room for more: many short parts, or their reads as a whole, would take many times the memory. */
  #kept = NOTHING;
  #size = 0;
  #needed = PREFIX_BYTES;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The bytes of a message that is not complete. */
  get held(): number {
    return this.#size;
  }

  /** Returns the messages that are complete with these bytes, or undefined when one is larger than the limit. */
  push(bytes: Uint8Array): readonly RawMessage[] | undefined {
    const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.#size === 0 && part.length >= this.#needed) return this.#split(part);
    this.#keep(part);
    return this.#size < this.#needed ? NONE : this.#split(this.#kept.subarray(0, this.#size));
  }

  #keep(part: Buffer): void {
    const size = this.#size + part.length;
    if (size > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#size));
      this.#kept.copy(larger, 0, 0, this.#size);
      this.#kept = larger;
    }
    part.copy(this.#kept, this.#size);
    this.#size = size;
  }

  #split(bytes: Buffer): readonly RawMessage[] | undefined {
    const messages: RawMessage[] = [];
    let at = 0;
    for (this.#needed = PREFIX_BYTES; bytes.length - at >= this.#needed; this.#needed = PREFIX_BYTES) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > this.#bytesMax) return undefined;
      this.#needed = PREFIX_BYTES + length;
      if (bytes.length - at < this.#needed) break;
      const end = at + this.#needed;
      messages.push({ isCompressed: bytes[at] === 1, bytes: bytes.subarray(at + PREFIX_BYTES, end) });
      at = end;
    }
    this.#kept = NOTHING;
    this.#size = 0;
    if (at < bytes.length) this.#keep(bytes.subarray(at));
    return messages;
  }
}

const NONE: readonly RawMessage[] = [];

/** Returns the message with its prefix. */
export function prefixed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}
