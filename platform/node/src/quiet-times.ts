const PERIOD_MS = 10_000;
/** The share of the time in which the event loop of a thread with little to do works. */
const QUIET_MAX = 0.1;
/**
 * A thread with little to do still works for others, such as the thread of DHCP in a flood. With less than half to do than in each of two such
 * periods before, that load has ended. The heartbeats of agents that started together come in every second period.
 */
const LOAD_MIN = 0.02;

/**
 * Calls it after every 10 s in which this thread had little to do, with the number of such periods since it had more to do or the start,
 * this one included. Does not keep the process alive.
 */
export function inQuietTimes(task: (periods: number) => void): void {
  let before = performance.eventLoopUtilization();
  let earlier: readonly [number, number] = [0, 0];
  let periods = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    const isBusy = utilization > QUIET_MAX;
    const load = Math.min(...earlier);
    const hasLoadEnded = load > LOAD_MIN && utilization < load / 2;
    periods = isBusy || hasLoadEnded ? 0 : periods;
    if (!isBusy) periods += 1;
    before = now;
    earlier = [earlier[1], isBusy ? 0 : utilization];
    if (periods > 0) task(periods);
  }, PERIOD_MS).unref();
}
