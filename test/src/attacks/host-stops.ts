/**
 * Finds where the host stopped the processor of a thread. Not all stops of a virtual machine count as steal: a processor that waits for memory of
 * the host is one of them. The thread that ran is charged with the time, as if it had worked.
 *
 * Timers of the kernel interrupt a busy thread in a fixed period: the kernel's tick, and where that is slower, timers of tick-maker.ts. One that
 * comes late is a stop. The part of a stop before the timer is due stays unknown, so a stop counts for too little and never for too much.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Stretch } from './busy-times.ts';

export interface Ticks {
  /** When timers interrupted the thread, ms of the kernel's monotonic clock, in ascending order. */
  readonly atMs: readonly number[];
  /** Ticks are due at multiples of it. */
  readonly periodMs: number;
}

/** Shorter delays have many causes, such as sections of the kernel that cannot be interrupted, or a timer that was set too late. */
const STOP_MIN_MS = 1.5;
/** CONFIG_HZ of Linux. */
const FREQUENCIES = [100, 250, 300, 1000];
/** `COMMAND-PID [CPU] FLAGS SECONDS: hrtimer_expire_entry: …` */
const TICK = /\[\d+\]\s+\S+\s+(\d+\.\d+): hrtimer_expire_entry:/;

/** Reads the trace of the ticks of one thread, by line. */
export async function ticksIn(trace: Iterable<string> | AsyncIterable<string>): Promise<Ticks> {
  const found: number[] = [];
  for await (const line of trace) {
    const [, seconds] = TICK.exec(line) ?? [];
    if (seconds !== undefined) found.push(Number(seconds) * 1000);
  }
  const atMs = found.toSorted((one, other) => one - other);
  const gaps = atMs.slice(1).map((at, index) => at - (atMs[index] ?? at));
  const usualMs = gaps.toSorted((one, other) => one - other)[gaps.length >> 1] ?? 0;
  const distance = (hertz: number): number => Math.abs(1000 / hertz - usualMs);
  const [nearest = 0] = FREQUENCIES.toSorted((one, other) => distance(one) - distance(other));
  return { atMs, periodMs: 1000 / nearest };
}

/** Returns the stops in a stretch of time in which the thread ran all the time. */
export function stopsIn({ fromMs, toMs }: Stretch, { atMs, periodMs }: Ticks): readonly Stretch[] {
  let lastMs = fromMs;
  return atMs
    .filter((at) => at > fromMs && at <= toMs)
    .flatMap((at) => {
      const dueMs = (Math.floor(lastMs / periodMs) + 1) * periodMs;
      lastMs = at;
      return at - dueMs >= STOP_MIN_MS ? [{ fromMs: dueMs, toMs: at }] : [];
    });
}

/** Returns how much of a stretch of time others cover, ms. They may overlap. */
export function coveredMs({ fromMs, toMs }: Stretch, others: readonly Stretch[]): number {
  let [sumMs, untilMs] = [0, fromMs];
  for (const other of others.toSorted((one, next) => one.fromMs - next.fromMs)) {
    const [startMs, endMs] = [Math.max(other.fromMs, untilMs), Math.min(other.toMs, toMs)];
    if (endMs <= startMs) continue;
    sumMs += endMs - startMs;
    untilMs = endMs;
  }
  return sumMs;
}

const TRACING = '/sys/kernel/tracing';
const TICK_MAKER = fileURLToPath(new URL('tick-maker.ts', import.meta.url));
const EVENT = 'events/timer/hrtimer_expire_entry';

export interface FollowedTicks {
  /** Undefined where the kernel does not trace its timers. */
  end(): Promise<Ticks | undefined>;
}

/** Follows the ticks of a thread. Needs root and the kernel's trace file system (ftrace), where it makes an instance of its own. */
export async function followTicks(thread: number): Promise<FollowedTicks> {
  if (!existsSync(join(TRACING, EVENT))) return { end: () => Promise.resolve(undefined) };
  const folder = join(TRACING, 'instances', `attacks-${process.pid}`);
  const write = (file: string, content: string): void => writeFileSync(join(folder, file), content);
  mkdirSync(folder);
  try {
    write('trace_clock', 'mono');
    const timers = (await addressesOfTimers()).map((address) => `function == 0x${address}`);
    write(`${EVENT}/filter`, `common_pid == ${thread} && (${timers.join(' || ')})`);
    write(`${EVENT}/enable`, '1');
  } catch {
    // This kernel has no such clock or filter.
    rmdirSync(folder);
    return { end: () => Promise.resolve(undefined) };
  }
  const reader = spawn('cat', [join(folder, 'trace_pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const read = ticksIn(createInterface({ input: reader.stdout }));
  const makers = Array.from({ length: availableParallelism() }, (_, processor) => startTickMaker(processor));
  return {
    async end() {
      for (const maker of makers) maker.kill();
      reader.kill();
      await once(reader, 'close');
      rmdirSync(folder);
      return read;
    },
  };
}

function startTickMaker(processor: number): ChildProcess {
  const place = ['--pdeathsig', 'KILL', 'taskset', '-c', String(processor), 'chrt', '--fifo', '1'];
  return spawn('setpriv', [...place, process.execPath, TICK_MAKER], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/**
 * Of the function behind the tick (tick_nohz_handler, or tick_sched_timer before Linux 6.8), and of the one that wakes a sleeping
 * process.
 */
async function addressesOfTimers(): Promise<readonly string[]> {
  const symbols = await readFile('/proc/kallsyms', 'utf8');
  const lines = symbols.matchAll(/^([\da-f]+) t (?:tick_nohz_handler|tick_sched_timer|hrtimer_wakeup)$/gm);
  return Array.from(lines, ([, address = '0']) => address);
}
