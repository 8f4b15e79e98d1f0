/**
 * Decides when to wait a little for more datagrams, as network cards coalesce their interrupts. At a high rate one wake-up and one
 * system call then receive or send several, and a DHCP exchange takes a third less processor time.
 */

/** The time that several arrive in at the lowest of these rates. */
export const COALESCED_MICROSECONDS = 150;
const HIGH_PER_MS = 10;
const MEASURED_MS = 5;

export class Coalescing {
  #sinceMs = 0;
  #count = 0;
  #isHigh = false;

  /** Counts datagrams that have arrived. */
  add(count: number): void {
    this.#count += count;
  }

  /** True while 10,000 datagrams a second arrive, measured over 5 ms. `nowMs` never decreases. */
  isHigh(nowMs: number): boolean {
    const ms = nowMs - this.#sinceMs;
    if (ms < MEASURED_MS) return this.#isHigh;
    this.#isHigh = this.#count >= ms * HIGH_PER_MS;
    this.#count = 0;
    this.#sinceMs = nowMs;
    return this.#isHigh;
  }
}
