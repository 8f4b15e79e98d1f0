/**
 * Loaded into the server before its own code. Once a second it appends a line of JSON to the file that ATTACK_MONITOR names, with the
 * memory of the process and how long its event loop was busy: with one callback, and in one turn, which serves all clients that
 * sent at the same time. Processor time is measured, not wall-clock time, so that a busy host does not count. Garbage collection is
 * reported separately.
 */
import { createHook } from 'node:async_hooks';
import { appendFileSync, readFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { BusyTimes, type BusyTime } from './busy-times.ts';
import { CallbackProfile } from './callback-profile.ts';

export interface MonitorLine {
  /** The longest turn of the event loop in the second, without garbage collection, in processor milliseconds. */
  readonly turnMs: number;
  /** The longest callback, with all ticks and promises that it resolved. In the same unit. */
  readonly callbackMs: number;
  /** The type of its async resource, such as `TCPWRAP` or `Immediate`. */
  readonly callbackType: string;
  /** What the host took from this virtual machine in the second, ms, in steps of 10. The thread that ran meanwhile is charged with it. */
  readonly stolenMs: number;
  /** Longest pause for garbage collection, ms. */
  readonly collectionMs: number;
  readonly residentMegabytes: number;
  /** What ran in the callback, where it is long and a profile is wanted. */
  readonly stacks?: readonly string[];
}

const PERIOD_MS = 1000;
/** The place of steal among the times of a processor, and their unit (USER_HZ is 100 on all architectures in use). */
const STEAL = 7;
const TICK_MS = 10;
/** A callback of this length is profiled, ms. */
const PROFILED_FROM_MS = 4;
/** Ticks and microtasks belong to the callback that requested them. */
const PARTS_OF_CALLBACKS = new Set(['TickObject', 'Microtask']);

function monitor(path: string, profile: CallbackProfile | undefined): void {
  const [turns, callbacks] = [new BusyTimes(), new BusyTimes()];
  let collectionMs = 0;
  let stolenMs = stolen();
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collectionMs = Math.max(collectionMs, duration);
      for (const times of [turns, callbacks]) times.collected(startTime, duration);
    }
  }).observe({ entryTypes: ['gc'] });
  followCallbacks(callbacks);
  const turn = (): void => {
    turns.next('');
    setTimeout(turn, 1).unref();
  };
  turn();
  setInterval(() => {
    const [longestTurn, longestCallback] = [turns.takeLongest(), callbacks.takeLongest()];
    const stolenNowMs = stolen();
    const line: MonitorLine = {
      turnMs: longestTurn.usedMs,
      callbackMs: longestCallback.usedMs,
      callbackType: longestCallback.type,
      stolenMs: stolenNowMs - stolenMs,
      collectionMs,
      residentMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
      ...(profile === undefined ? {} : profiled(profile, longestCallback)),
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    collectionMs = 0;
    stolenMs = stolenNowMs;
    // To read a profile takes long.
    if (profile !== undefined) for (const times of [turns, callbacks]) times.restart();
  }, PERIOD_MS).unref();
}

/** The steal time of all processors since the start of the machine, ms (proc(5), /proc/stat). */
function stolen(): number {
  const [, ...times] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').split(/\s+/);
  return Number(times[STEAL] ?? 0) * TICK_MS;
}

function profiled(profile: CallbackProfile, longest: BusyTime): Pick<MonitorLine, 'stacks'> {
  profile.read();
  return longest.usedMs < PROFILED_FROM_MS ? {} : { stacks: profile.stacksIn(longest) };
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
