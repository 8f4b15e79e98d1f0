const PER_SECOND = 33;

/** Limits frames of a kind that cost the client less than the server: a burst, and 33 for each second. */
export class FrameBudget {
  readonly #burst: number;
  #left: number;
  #countedMs: number;

  constructor(burst: number, nowMs: number) {
    this.#burst = burst;
    this.#left = burst;
    this.#countedMs = nowMs;
  }

  /** Counts a frame. Returns false when there were too many. */
  take(nowMs: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#countedMs) / 1000) * PER_SECOND) - 1;
    this.#countedMs = nowMs;
    return this.#left >= 0;
  }
}
