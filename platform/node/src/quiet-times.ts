const PERIOD_MS = 10_000;
/** The share of the time in which the event loop of a thread with little to do works. */
const QUIET_MAX = 0.1;

/**
 * Calls it after every 10 s in which this thread had little to do, with the number of such periods since a busy one or the start, this one
 * included. Does not keep the process alive.
 */
export function inQuietTimes(task: (periods: number) => void): void {
  let before = performance.eventLoopUtilization();
  let periods = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    periods = utilization <= QUIET_MAX ? periods + 1 : 0;
    if (periods > 0) task(periods);
  }, PERIOD_MS).unref();
}
