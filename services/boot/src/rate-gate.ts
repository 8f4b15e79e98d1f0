import type { Clock } from '@tinkerbell/platform-contract';

/**
 * Lets each key through once per interval. Keeps the journal of a network full of foreign or forged machines readable:
 * beyond `keysMax` keys in one interval no further key passes.
 */
export function createRateGate(
  clock: Pick<Clock, 'monotonicMs'>,
  limits: { readonly intervalMs: number; readonly keysMax: number },
): (key: string) => boolean {
  let keys = new Set<string>();
  let startedMs = clock.monotonicMs();
  return (key) => {
    if (clock.monotonicMs() - startedMs >= limits.intervalMs) {
      keys = new Set();
      startedMs = clock.monotonicMs();
    }
    if (keys.size >= limits.keysMax || keys.has(key)) return false;
    keys.add(key);
    return true;
  };
}
