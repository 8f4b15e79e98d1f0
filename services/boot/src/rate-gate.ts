import type { Clock } from '@tinkerbell/platform-contract';

interface RateLimits {
  readonly intervalMs: number;
  /** The number of keys in one interval. */
  readonly keysMax: number;
  /** This many keys may pass together. The others are spaced evenly, at `keysMax` per interval. Absent: all may pass together. */
  readonly atOnce?: number;
}

/**
 * Lets each key through once per interval. It keeps the journal readable in a network full of foreign or forged machines: beyond
 * `keysMax` keys in one interval no further key passes. A key that is costly to make is given as a function, which is called when
 * the key decides.
 */
export function createRateGate(
  clock: Pick<Clock, 'monotonicMs'>,
  { intervalMs, keysMax, atOnce = Number.POSITIVE_INFINITY }: RateLimits,
): (key: string | (() => string)) => boolean {
  const apartMs = intervalMs / keysMax;
  let keys = new Set<string>();
  let startedMs = clock.monotonicMs();
  /** The time when `atOnce` keys may pass together again, unless some pass before. */
  let restedMs = startedMs;
  return (given) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - startedMs >= intervalMs) {
      keys = new Set();
      startedMs = nowMs;
    }
    if (keys.size >= keysMax) return false;
    const fromMs = Math.max(restedMs, nowMs);
    // Before the key is looked up, which costs more. Under load this refuses most.
    if (fromMs - nowMs > (atOnce - 1) * apartMs) return false;
    const key = typeof given === 'string' ? given : given();
    if (keys.has(key)) return false;
    restedMs = fromMs + apartMs;
    keys.add(key);
    return true;
  };
}
