import type { Clock } from '@tinkerbell/platform-contract';

interface RateLimits {
  readonly intervalMs: number;
  /** In one interval. */
  readonly keysMax: number;
  /** So many may come together, the others as far apart as `keysMax` in an interval are. Absent: all may. */
  readonly atOnce?: number;
}

/**
 * Lets each key through once per interval. Keeps the journal of a network full of foreign or forged machines readable:
 * beyond `keysMax` keys in one interval no further key passes.
 */
export function createRateGate(
  clock: Pick<Clock, 'monotonicMs'>,
  { intervalMs, keysMax, atOnce = Number.POSITIVE_INFINITY }: RateLimits,
): (key: string) => boolean {
  const apartMs = intervalMs / keysMax;
  let keys = new Set<string>();
  let startedMs = clock.monotonicMs();
  /** When `atOnce` may come together again, unless some come before. */
  let restedMs = startedMs;
  return (key) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - startedMs >= intervalMs) {
      keys = new Set();
      startedMs = nowMs;
    }
    if (keys.size >= keysMax || keys.has(key)) return false;
    const fromMs = Math.max(restedMs, nowMs);
    if (fromMs - nowMs > (atOnce - 1) * apartMs) return false;
    restedMs = fromMs + apartMs;
    keys.add(key);
    return true;
  };
}
