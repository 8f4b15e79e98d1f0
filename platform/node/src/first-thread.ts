/**
 * Lets the thread that answers packets run before all others. The kernel otherwise lets a thread that has worked a little more than
 * its share wait until its next tick, 4 ms later, whatever its niceness.
 */
import { withoutFfiWarning } from './c-library.ts';
import { ProcessorBudget, type ProcessorTime } from './processor-budget.ts';

const SCHED_OTHER = 0;
const SCHED_RR = 2;
/** Threads that this one starts are ordinary ones. */
const SCHED_RESET_ON_FORK = 0x4000_0000;
/** The lowest of the real-time priorities. */
const FIRST = 1;
/** Of this thread. */
const SELF = 0;
/** Asking the kernel for the time that the thread has worked takes a microsecond. */
const ASKED_EVERY_MS = 1;
/** A thread that has worked for too long has rested then. */
const RESTED_MS = 20;

/**
 * From now on the thread runs before all others (sched(7)) while it works for less than half of the time, so that a flood of packets
 * does not stop the rest. Does nothing without FFI, and where the process may not have real-time priorities.
 *
 * Every turn of the event loop counts, also one without any JavaScript: V8 sweeps the heap in turn after turn until its other threads have done
 * their part. On one processor these would wait for this thread, and everything else with them, until the kernel stops it after 950 ms.
 */
export async function runFirstUntilBusy(): Promise<void> {
  const setFirst = await priorityOfThisThread().catch(() => undefined);
  if (setFirst?.(true) !== true) return;
  const budget = new ProcessorBudget(processorTime());
  let [isFirst, askedMs] = [true, performance.now()];
  let resting: NodeJS.Timeout | undefined;
  const decide = (): void => {
    askedMs = performance.now();
    const mayBeFirst = budget.mayBeFirst(processorTime());
    if (mayBeFirst !== isFirst && setFirst(mayBeFirst)) isFirst = mayBeFirst;
    if (!isFirst) resting ??= setTimeout(decideAgain, RESTED_MS).unref();
  };
  /** A thread that rests has no turns. */
  const decideAgain = (): void => {
    resting = undefined;
    decide();
  };
  const eachTurn = (): void => {
    if (performance.now() - askedMs >= ASKED_EVERY_MS) decide();
    // It runs at the end of a turn, and does not keep the loop from sleeping before the next one.
    setImmediate(eachTurn).unref();
  };
  eachTurn();
}

/** Returns a function that returns false where the kernel refuses. */
async function priorityOfThisThread(): Promise<(isFirst: boolean) => boolean> {
  const { dlopen } = await withoutFfiWarning(() => import('node:ffi'));
  const { functions } = dlopen(null, {
    sched_setscheduler: { arguments: ['i32', 'i32', 'buffer'], return: 'i32' },
  });
  /** struct sched_param. */
  const [first, ordinary] = [Int32Array.of(FIRST), Int32Array.of(0)];
  return (isFirst) =>
    functions.sched_setscheduler(
      SELF,
      (isFirst ? SCHED_RR : SCHED_OTHER) | SCHED_RESET_ON_FORK,
      isFirst ? first : ordinary,
    ) === 0;
}

function processorTime(): ProcessorTime {
  const { user, system } = process.threadCpuUsage();
  return { passedMs: performance.now(), workedMs: (user + system) / 1000 };
}
