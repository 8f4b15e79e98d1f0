import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Niceness: a tenth of the processor beside a busy thread of ordinary priority, all of it beside idle ones. */
const NICENESS = 10;

/**
 * Lets other threads of this process go first, the one that answers packets above all; for threads that work on what users send. On
 * Linux alone a thread has a priority of its own; elsewhere nothing changes.
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
