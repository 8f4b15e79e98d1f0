import type { Random } from '@tinkerbell/platform-contract';

/** The same seed gives the same numbers on every machine (mulberry32). Not for secrets. */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.fraction() * 256));
  }

  between(min: number, max: number): number {
    return min + this.fraction() * (max - min);
  }

  /** `share` from 0 (never) to 1 (always). */
  happens(share: number): boolean {
    return this.fraction() < share;
  }

  /** Numbers of its own for a part, so that a change of one part does not change the others. */
  fork(part: number): SeededRandom {
    return new SeededRandom(Math.imul(this.#state ^ part, 0x9e3779b1));
  }
}
