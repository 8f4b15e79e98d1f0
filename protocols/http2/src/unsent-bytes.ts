/** Bytes that wait, in one piece. Many small parts take no more memory than a large one. */
const CAPACITY_MIN = 256;

export class UnsentBytes {
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** All of them. They are valid until the next call of `append`. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Copies the part. */
  append(part: Uint8Array): void {
    const { length } = this;
    if (this.#end + part.length > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(CAPACITY_MIN, (length + part.length) * 2));
      bytes.set(this.bytes);
      this.#bytes = bytes;
      this.#start = 0;
      this.#end = length;
    }
    this.#bytes.set(part, this.#end);
    this.#end += part.length;
  }

  /** Drops the first ones. */
  drop(count: number): void {
    this.#start += count;
  }
}
