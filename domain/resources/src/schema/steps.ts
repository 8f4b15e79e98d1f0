/** Counts work, so that it can pause and be refused. */

/** One step is a value, a keyword or a few characters of a pattern: 50 to 100 ns, and 500 ns when it is the first of its kind. */
const STEPS_EACH = 500;
/** The limit for one object: a second of work. A value that reaches the other limits takes a tenth of it. */
const STEPS_MAX = 10_000_000;

export class TooManySteps extends Error {}

export class Steps {
  #taken = 0;
  #pauseAt = STEPS_EACH;

  /** Throws TooManySteps. */
  take(count: number): void {
    this.#taken += count;
    if (this.#taken > STEPS_MAX) throw new TooManySteps();
  }

  /** Returns true once for each stretch of steps. The caller then yields. */
  isPause(): boolean {
    if (this.#taken < this.#pauseAt) return false;
    this.#pauseAt = this.#taken + STEPS_EACH;
    return true;
  }
}
