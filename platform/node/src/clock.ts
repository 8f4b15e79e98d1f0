// Not the global one: each lookup of it takes a third of a reading.
import { performance } from 'node:perf_hooks';
import type { Clock } from '@tinkerbell/platform-contract';

/** The longest delay of `setTimeout`. Longer delays are waited for in parts. */
const TIMER_LIMIT_MS = 2 ** 31 - 1;

export const nodeClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    let timer: NodeJS.Timeout;
    wait(Math.max(0, delayMs));
    return () => clearTimeout(timer);

    function wait(remainingMs: number): void {
      const partMs = Math.min(remainingMs, TIMER_LIMIT_MS);
      timer = setTimeout(() => (remainingMs > partMs ? wait(remainingMs - partMs) : task()), partMs);
    }
  },
};
