/**
 * Loaded into the server before its own code. Once a second it appends a line of JSON to the file that
 * ATTACK_MONITOR names, with the memory of the process and how long its event loop was busy without a pause.
 * Processor time is measured, not wall-clock time, so that a busy host does not count. Garbage collection is
 * reported separately.
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
const TURNS_KEPT = 20;

function monitor(path: string): void {
  let busyMs = 0;
  let collectionMs = 0;
  const turns = new Turns();
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collectionMs = Math.max(collectionMs, duration);
      turns.collected(startTime, duration);
    }
  }).observe({ entryTypes: ['gc'] });
  const turn = (): void => {
    busyMs = Math.max(busyMs, turns.next());
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

/**
 * Collections become known some turns after they happened, so a turn is evaluated `TURNS_KEPT` turns later.
 */
class Turns {
  readonly #kept: { readonly toMs: number; readonly usedMs: number }[] = [];
  readonly #collections: { readonly atMs: number; readonly durationMs: number }[] = [];
  #usedMs = processorMs();

  collected(atMs: number, durationMs: number): void {
    this.#collections.push({ atMs, durationMs });
  }

  /** Ends a turn. Returns the processor milliseconds of the evaluated turn, without collections. */
  next(): number {
    const used = processorMs();
    this.#kept.push({ toMs: performance.now(), usedMs: used - this.#usedMs });
    this.#usedMs = used;
    const judged = this.#kept.length > TURNS_KEPT ? this.#kept.shift() : undefined;
    if (judged === undefined) return 0;
    let { usedMs } = judged;
    while ((this.#collections[0]?.atMs ?? Infinity) < judged.toMs)
      usedMs -= this.#collections.shift()?.durationMs ?? 0;
    return usedMs;
  }
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const file = process.env['ATTACK_MONITOR'];
if (isMainThread && file !== undefined) monitor(file);
