/**
 * Limits the streams that a client opens and resets, which cost it nothing (CVE-2023-44487). The numbers are those of nghttp2.
 */
const BURST = 1000;
const PER_SECOND = 33;

export class ResetBudget {
  #left = BURST;
  #countedMs: number;

  constructor(nowMs: number) {
    this.#countedMs = nowMs;
  }

  /** Counts a reset. Returns false when there were too many. */
  take(nowMs: number): boolean {
    this.#left = Math.min(BURST, this.#left + ((nowMs - this.#countedMs) / 1000) * PER_SECOND) - 1;
    this.#countedMs = nowMs;
    return this.#left >= 0;
  }
}
