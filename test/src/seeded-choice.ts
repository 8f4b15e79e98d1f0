/** Random choices that a seed repeats (mulberry32). */
export class SeededChoice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 up to, not including, `count`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % count;
  }

  of<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  }

  /** Returns true once in `count` times on average. */
  once(count: number): boolean {
    return this.below(count) === 0;
  }
}
