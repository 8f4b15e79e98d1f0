import type { Random } from '@tinkerbell/platform-contract';

const FIRST_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.5;

export interface Backoff {
  /** Returns the next delay in milliseconds. It grows by half up to the limit, with jitter of plus or minus half. */
  nextMs(): number;
  reset(): void;
}

/** Upstream's schedule: 500 ms, times 1.5, plus or minus 50 %, up to `limitMs`. */
export function createBackoff(limitMs: number, random: Random): Backoff {
  let intervalMs = FIRST_MS;
  return {
    nextMs() {
      const spread = 1 + JITTER * (2 * random.fraction() - 1);
      const delayMs = Math.min(intervalMs * spread, limitMs);
      intervalMs = Math.min(intervalMs * FACTOR, limitMs);
      return delayMs;
    },
    reset() {
      intervalMs = FIRST_MS;
    },
  };
}
