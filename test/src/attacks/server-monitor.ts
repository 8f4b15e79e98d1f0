/**
 * Loaded into the server before its own code. Once a second it appends a line of JSON to the file that ATTACK_MONITOR names, with the
 * memory of the process and how long its event loop was busy: with one callback, and in one turn, which serves all clients that
 * sent at the same time. Processor time is measured, not wall-clock time, so that a busy host does not count. Garbage collection is
 * reported separately.
 */
import { createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { BusyTimes, type BusyTime, type Stretch } from './busy-times.ts';
import { CallbackProfile } from './callback-profile.ts';

/** Consecutive work, at times of the kernel's monotonic clock. Processor ms, without garbage collection. */
export interface Work extends BusyTime {
  /** What ran in it, where it is long and a profile is wanted. */
  readonly stacks?: readonly string[];
}

export interface MonitorLine {
  /** The longest turns of the event loop in the second, the longest first. */
  readonly turns: readonly Work[];
  /** The longest callbacks, with all ticks and promises that they resolved. The type is that of the async resource, such as `TCPWRAP`. */
  readonly callbacks: readonly Work[];
  /** Longest pause for garbage collection, ms. */
  readonly collectionMs: number;
  readonly residentMegabytes: number;
}

const PERIOD_MS = 1000;
/** The origin of `performance.now()` on CLOCK_MONOTONIC. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();
/** A callback of this length is profiled, ms. */
const PROFILED_FROM_MS = 4;
/** Ticks and microtasks belong to the callback that requested them. */
const PARTS_OF_CALLBACKS = new Set(['TickObject', 'Microtask']);

function monitor(path: string, profile: CallbackProfile | undefined): void {
  const [turns, callbacks] = [new BusyTimes(), new BusyTimes()];
  let collectionMs = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collectionMs = Math.max(collectionMs, duration);
      for (const times of [turns, callbacks])
        times.collected({ fromMs: startTime, toMs: startTime + duration });
    }
  }).observe({ entryTypes: ['gc'] });
  followCallbacks(callbacks);
  const turn = (): void => {
    turns.next('');
    setTimeout(turn, 1).unref();
  };
  turn();
  setInterval(() => {
    const line: MonitorLine = {
      turns: turns.takeLongest().map(atMonotonicTime),
      callbacks: profiled(profile, callbacks.takeLongest()).map(atMonotonicTime),
      collectionMs,
      residentMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    collectionMs = 0;
    // To read a profile takes long.
    if (profile !== undefined) for (const times of [turns, callbacks]) times.restart();
  }, PERIOD_MS).unref();
}

function profiled(profile: CallbackProfile | undefined, longest: readonly BusyTime[]): readonly Work[] {
  profile?.read();
  return longest.map((work) =>
    profile === undefined || work.usedMs < PROFILED_FROM_MS
      ? work
      : { ...work, stacks: profile.stacksIn(work) },
  );
}

function atMonotonicTime(work: Work): Work {
  const moved = ({ fromMs, toMs }: Stretch) => ({ fromMs: fromMs + ORIGIN_MS, toMs: toMs + ORIGIN_MS });
  return { ...work, ...moved(work), collections: work.collections.map(moved) };
}

/** A callback ends where the next one starts. */
function followCallbacks(callbacks: BusyTimes): void {
  const types = new Map<number, string>();
  let depth = 0;
  createHook({
    trackPromises: false,
    init(id, type) {
      if (!PARTS_OF_CALLBACKS.has(type)) types.set(id, type);
    },
    before(id) {
      const type = types.get(id);
      if (depth === 0 && type !== undefined) callbacks.next(type);
      depth += 1;
    },
    after() {
      depth -= 1;
    },
    destroy(id) {
      types.delete(id);
    },
  }).enable();
}

const file = process.env['ATTACK_MONITOR'];
const isProfiled = process.env['ATTACK_PROFILE'] !== undefined;
if (isMainThread && file !== undefined) monitor(file, isProfiled ? new CallbackProfile() : undefined);
