/** The share of the time in which a thread may work before all others. */
const SHARE = 0.5;
/** What a thread that rested may work in one go, and what it may owe. */
const SAVED_MS_MAX = 2;
const OWED_MS_MAX = 10;

/**
 * How long a thread may still run before all others. It earns half of the time that passes and pays for the time that it works, so
 * a thread that is busy for longer than that takes turns with the others until it has rested.
 */
export class ProcessorBudget {
  #leftMs = 0;
  #at: ProcessorTime;

  constructor(at: ProcessorTime) {
    this.#at = at;
  }

  /** Returns whether the thread may run before all others from now on. */
  mayBeFirst(now: ProcessorTime): boolean {
    const earnedMs = (now.passedMs - this.#at.passedMs) * SHARE;
    const workedMs = now.workedMs - this.#at.workedMs;
    this.#at = now;
    const savedMs = Math.min(SAVED_MS_MAX, this.#leftMs + earnedMs);
    this.#leftMs = Math.max(-OWED_MS_MAX, savedMs - workedMs);
    return this.#leftMs > 0;
  }
}

/** Both only ever increase. */
export interface ProcessorTime {
  readonly passedMs: number;
  /** Of this thread, on any processor. */
  readonly workedMs: number;
}
