import { readlinkSync } from 'node:fs';
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

/** The kernel's id of this thread. */
function threadId(): number | undefined {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0]);
  } catch {
    return undefined;
  }
}
