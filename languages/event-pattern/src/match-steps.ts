/** Thrown by `matches` when a pattern takes more steps than it may. */
export class MatchTooLong extends Error {}

/** Steps that a match may take: a step is a value that is tested, or a state of an expression that reads a character (20 ns). */
export class MatchSteps {
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** Throws MatchTooLong. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new MatchTooLong('takes too long to match');
  }
}
