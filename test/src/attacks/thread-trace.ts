/** Follows when a thread runs and when timers interrupt it, with the kernel's own trace (ftrace), for host-stops.ts. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { timesOf, type ThreadTimes } from './host-stops.ts';

const TRACING = '/sys/kernel/tracing';
const TICK_MAKER = fileURLToPath(new URL('tick-maker.ts', import.meta.url));
const TIMERS = 'events/timer/hrtimer_expire_entry';
const SWITCHES = 'events/sched/sched_switch';
/** Of each processor: some seconds of a busy thread. */
const BUFFER_KIB = 8192;

export interface FollowedThread {
  /** Undefined where the kernel does not trace its timers. */
  end(): Promise<ThreadTimes | undefined>;
}

/** Follows a thread. Needs root and the kernel's trace file system (ftrace), where it makes an instance of its own. */
export async function followThread(thread: number): Promise<FollowedThread> {
  if (!existsSync(join(TRACING, TIMERS))) return { end: () => Promise.resolve(undefined) };
  const folder = join(TRACING, 'instances', `attacks-${process.pid}`);
  const write = (file: string, content: string): void => writeFileSync(join(folder, file), content);
  mkdirSync(folder);
  try {
    write('trace_clock', 'mono');
    write('buffer_size_kb', String(BUFFER_KIB));
    const timers = (await addressesOfTimers()).map((address) => `function == 0x${address}`);
    write(`${TIMERS}/filter`, `common_pid == ${thread} && (${timers.join(' || ')})`);
    write(`${SWITCHES}/filter`, `prev_pid == ${thread} || next_pid == ${thread}`);
    for (const events of [TIMERS, SWITCHES]) write(`${events}/enable`, '1');
  } catch {
    // This kernel has no such clock or filter.
    rmdirSync(folder);
    return { end: () => Promise.resolve(undefined) };
  }
  const reader = spawn('cat', [join(folder, 'trace_pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const read = timesOf(thread, createInterface({ input: reader.stdout }));
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
