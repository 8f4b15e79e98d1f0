/**
 * Finds where the host stopped a processor of this virtual machine. Not all of these stops count as steal: a processor that
 * waits for memory of the host is one of them. The thread that ran is charged with the time, as if it had worked.
 *
 * The kernel's tick interrupts a busy processor in a fixed period. A tick that comes late, and an interrupt by a timer that takes milliseconds, is a
 * stop. The part of a stop before the next interrupt is due stays unknown, so a stop counts for too little and never for too much.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Stretch } from './busy-times.ts';

/** Of the monotonic clock of the kernel, ms. */
export interface HostStop extends Stretch {
  /** The thread that ran. */
  readonly thread: number;
}

/** Shorter delays have many causes, such as sections of the kernel that cannot be interrupted. */
const STOP_MIN_MS = 1;
const PERIODS_KNOWN_FROM = 101;
/** `CPU:1 [LOST 25 EVENTS]`: the reader was too slow. */
const LOST = 'EVENTS]';
/** `COMMAND-PID [CPU] FLAGS SECONDS: EVENT: FIELDS` */
const LINE = /-(\d+)\s+\[(\d+)\]\s+\S+\s+(\d+\.\d+): (\w+):(.*)/;
/** The timer that interrupts in a fixed period has this function: tick_nohz_handler, or tick_sched_timer before Linux 6.8. */
const TICK = / function=tick_/;

interface Processor {
  /** The last tick, while the processor has not been idle since. */
  tickMs?: number;
  /** The start of the interrupt. */
  entryMs?: number;
}

/**
 * Reads the lines of a trace of `local_timer_entry` and `_exit`, which enclose the interrupts, `hrtimer_expire_entry`, which names each
 * timer that ends in one, and `sched_switch` from and to the idle thread.
 */
export class HostStops {
  readonly #processors = new Map<string, Processor>();
  readonly #stops: HostStop[] = [];
  #gaps: number[] = [];
  #periodMs: number | undefined;

  get found(): readonly HostStop[] {
    return this.#stops;
  }

  read(line: string): void {
    if (line.endsWith(LOST)) for (const state of this.#processors.values()) delete state.tickMs;
    const [, pid, processor, seconds, event = '', fields = ''] = LINE.exec(line) ?? [];
    const state = this.#processor(processor ?? '');
    const [atMs, thread] = [Number(seconds) * 1000, Number(pid)];
    if (event === 'sched_switch') delete state.tickMs;
    else if (event === 'local_timer_entry') state.entryMs = atMs;
    else if (event === 'local_timer_exit') this.#stop(state.entryMs ?? atMs, atMs, thread);
    else if (TICK.test(fields)) this.#tick(state, atMs, thread);
  }

  #processor(name: string): Processor {
    const state = this.#processors.get(name) ?? {};
    this.#processors.set(name, state);
    return state;
  }

  #tick(state: Processor, atMs: number, thread: number): void {
    const lastMs = state.tickMs;
    state.tickMs = atMs;
    if (lastMs === undefined) return;
    if (this.#periodMs !== undefined) return this.#stop(lastMs + this.#periodMs, atMs, thread);
    this.#gaps.push(atMs - lastMs);
    if (this.#gaps.length < PERIODS_KNOWN_FROM) return;
    this.#periodMs = this.#gaps.toSorted((one, other) => one - other)[this.#gaps.length >> 1];
    this.#gaps = [];
  }

  #stop(fromMs: number, toMs: number, thread: number): void {
    if (toMs - fromMs >= STOP_MIN_MS) this.#stops.push({ fromMs, toMs, thread });
  }
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
const EVENTS = {
  'irq_vectors/local_timer_entry': '',
  'irq_vectors/local_timer_exit': '',
  'timer/hrtimer_expire_entry': '',
  'sched/sched_switch': 'prev_pid==0 || next_pid==0',
};
const BUFFER_KIB = 16_384;
/** Niceness. A reader that waits for a processor loses what it reads. */
const PRIORITY = -15;

if (import.meta.main) {
  setPriority(PRIORITY);
  const stops = await stopsUntil(once(process.stdin.resume(), 'end'));
  process.stdout.write(JSON.stringify(stops ?? 'unknown'));
}

/**
 * Resolves after the end. Undefined where the kernel does not trace its timer. Needs root and the kernel's trace file system (ftrace), where it
 * makes an instance of its own.
 */
async function stopsUntil(end: Promise<unknown>): Promise<readonly HostStop[] | undefined> {
  if (!Object.keys(EVENTS).every((event) => existsSync(join(TRACING, 'events', event)))) return undefined;
  const folder = join(TRACING, 'instances', `attacks-${process.pid}`);
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  mkdirSync(folder);
  write('trace_clock', 'mono');
  write('buffer_size_kb', `${BUFFER_KIB}`);
  for (const [event, filter] of Object.entries(EVENTS)) {
    if (filter !== '') write(`events/${event}/filter`, filter);
    write(`events/${event}/enable`, '1');
  }
  const stops = new HostStops();
  const reader = spawn('cat', [join(folder, 'trace_pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface(reader.stdout).on('line', (line) => stops.read(line));
  await end;
  reader.kill();
  await once(reader, 'close');
  rmdirSync(folder);
  return stops.found;
}

export interface FollowedStops {
  /** Undefined where the kernel does not show the stops. */
  end(): Promise<readonly HostStop[] | undefined>;
}

/** Reads the trace in a process of its own. */
export function followHostStops(): FollowedStops {
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['pipe', 'pipe', 'inherit'] });
  const printed = text(child.stdout);
  return {
    async end() {
      child.stdin.end();
      const found: unknown = JSON.parse(await printed);
      return Array.isArray(found) ? found : undefined;
    },
  };
}
