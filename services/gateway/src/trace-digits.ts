/**
 * Fetches random digits for a hundred traces at a time, because each call of the kernel's generator costs more
 * than its bytes.
 */
import type { Random } from '@tinkerbell/platform-contract';

/** A trace of 16 bytes and a span of 8. */
const DIGITS = 48;
const TRACES_AT_ONCE = 128;

export class TraceDigits {
  readonly #random: Random;
  #digits = '';
  #used = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns 48 hexadecimal digits that are used once. */
  next(): string {
    if (this.#used === this.#digits.length) {
      this.#digits = Buffer.from(this.#random.bytes((DIGITS / 2) * TRACES_AT_ONCE)).toString('hex');
      this.#used = 0;
    }
    this.#used += DIGITS;
    return this.#digits.slice(this.#used - DIGITS, this.#used);
  }
}
