/**
 * Loaded into the server before its own code: once a second it appends a line of JSON to the file ATTACK_MONITOR names, with what the
 * process holds and how long its event loop was busy without a pause. Processor time is measured, not the clock on the wall, so
 * that a busy host does not count; garbage collection is reported on its own.
 */
import { appendFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface MonitorLine {
  /** Longest turn of the event loop in the second, without garbage collection, in processor milliseconds. */
  readonly busyMs: number;
  /** Longest pause for garbage collection, ms. */
  readonly collectionMs: number;
  readonly residentMegabytes: number;
}

const PERIOD_MS = 1000;
const file = process.env['ATTACK_MONITOR'];
if (isMainThread && file !== undefined) monitor(file);

function monitor(path: string): void {
  let busyMs = 0;
  let collectionMs = 0;
  let collectedMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      collectionMs = Math.max(collectionMs, duration);
      collectedMs += duration;
    }
  }).observe({ entryTypes: ['gc'] });
  let before = processorMs();
  const turn = (): void => {
    const now = processorMs();
    // Entries of the collector come a turn late, so what it took is taken off the turn that reports it.
    busyMs = Math.max(busyMs, now - before - collectedMs);
    collectedMs = 0;
    before = now;
    setTimeout(turn, 1).unref();
  };
  turn();
  setInterval(() => {
    const residentMegabytes = Math.round(process.memoryUsage.rss() / 1e6);
    appendFileSync(
      path,
      `${JSON.stringify({ busyMs, collectionMs, residentMegabytes } satisfies MonitorLine)}\n`,
    );
    busyMs = 0;
    collectionMs = 0;
  }, PERIOD_MS).unref();
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
