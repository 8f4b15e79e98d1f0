const PERIOD_MS = 10_000;
/** The share of the time in which the event loop of a thread with little to do works. */
const QUIET_MAX = 0.1;

/** Calls it after every 10 s in which this thread had little to do. Does not keep the process alive. */
export function inQuietTimes(task: () => void): void {
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization <= QUIET_MAX) task();
  }, PERIOD_MS).unref();
}
