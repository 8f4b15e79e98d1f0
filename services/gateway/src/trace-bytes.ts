/**
 * Fetches random bytes for a hundred traces at a time, because each call of the kernel's generator costs more
 * than its bytes.
 */
import type { Random } from '@tinkerbell/platform-contract';

const TRACE_BYTES = 24;
const TRACES_AT_ONCE = 128;

export class TraceBytes {
  readonly #random: Random;
  #bytes: Uint8Array = new Uint8Array();
  #used = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns 24 bytes that are used once. */
  next(): Uint8Array {
    if (this.#used === this.#bytes.length) {
      this.#bytes = this.#random.bytes(TRACE_BYTES * TRACES_AT_ONCE);
      this.#used = 0;
    }
    this.#used += TRACE_BYTES;
    return this.#bytes.subarray(this.#used - TRACE_BYTES, this.#used);
  }
}
