import type { Clock } from '@tinkerbell/platform-contract';

/** A clock whose delays pass at once, for drivers that use real sockets. */
export function hurriedClock(): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, task) {
      const pending = setImmediate(() => {
        nowMs += delayMs;
        task();
      });
      return () => clearImmediate(pending);
    },
  };
}
