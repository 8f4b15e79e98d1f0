import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Niceness: a tenth of the processor beside a busy thread of normal priority, all of it beside idle ones. */
const NICENESS = 10;

/**
 * Lowers the priority of the calling thread, so that other threads of this process run first, above all the
 * one that answers packets. It is for threads that process users' input. Only Linux has priorities per
 * thread. Elsewhere this changes nothing.
 */
export function yieldToOtherThreads(): void {
  const id = threadId();
  if (id !== undefined && getPriority(id) < NICENESS) setPriority(id, NICENESS);
}

/** Niceness of the main thread. New threads inherit it, so those that process users' input must yield. */
const MAIN_NICENESS = -10;
/** The main thread waits for these in a garbage collection. */
const COLLECTOR = 'node-V8Worker';
const COLLECTOR_NICENESS = -5;

/**
 * Raises the priority of the main thread, so that packets do not wait for other threads and processes. It is called when the threads
 * for files and cryptography have started, because those keep their priority. It changes nothing where priorities are per process,
 * where the process may not raise them, and where somebody has chosen another priority.
 */
export function runBeforeOtherThreads(): void {
  if (threadId() !== process.pid || getPriority() !== 0) return;
  try {
    setPriority(process.pid, MAIN_NICENESS);
    for (const id of readdirSync('/proc/self/task'))
      if (threadName(id) === COLLECTOR) setPriority(Number(id), COLLECTOR_NICENESS);
  } catch {
    // Without the capability CAP_SYS_NICE.
  }
}

/** Niceness of a thread whose work is short and urgent: the best that the process may have, which a service manager limits. */
const FIRST_NICENESS = [-15, MAIN_NICENESS];

/** Lets the calling thread run before all others of the process, where the process may raise priorities. */
export function runFirst(): void {
  const id = threadId();
  if (id === undefined) return;
  for (const niceness of FIRST_NICENESS) {
    try {
      return setPriority(id, niceness);
    } catch {
      // Without the capability CAP_SYS_NICE, or beyond RLIMIT_NICE.
    }
  }
}

function threadName(id: string): string {
  return readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim();
}

/** The kernel's id of this thread. */
function threadId(): number | undefined {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0]);
  } catch {
    return undefined;
  }
}
