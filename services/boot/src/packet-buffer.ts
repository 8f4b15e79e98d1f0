/** Memory for a window that is about to be sent; shared, as a send has taken its bytes when it returns. Grows to the largest there was. */
export class PacketBuffer {
  #bytes = new Uint8Array(0);
  /** Nearly every window of a transfer is as long as the one before. */
  #taken = this.#bytes;
  #owner: object | undefined;
  #isHeld = false;

  take(owner: object, length: number): Uint8Array {
    this.#isHeld = this.#owner === owner;
    this.#owner = owner;
    if (this.#taken.length === length) return this.#taken;
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(length);
    this.#taken = this.#bytes.subarray(0, length);
    return this.#taken;
  }

  /** What was taken last, with what was written there. */
  get taken(): Uint8Array {
    return this.#taken;
  }

  /** Whether nobody took it after `owner`. */
  isOf(owner: object): boolean {
    return this.#owner === owner;
  }

  /** Whether the same owner took it twice in a row: nobody else sends now. */
  get isHeld(): boolean {
    return this.#isHeld;
  }
}
