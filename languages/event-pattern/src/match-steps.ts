/** Thrown by `matches` when a pattern exceeds its steps. */
export class MatchTooLong extends Error {}

/**
 * The steps that a match may take. A step is a value that is tested (20 ns), or an instruction of a regular
 * expression that may read a character (150 ns at worst).
 */
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
