import { setFlagsFromString } from 'node:v8';
import { runInNewContext, Script } from 'node:vm';
import { inQuietTimes } from './quiet-times.ts';

/** Sets flags of V8 for a server. They apply to the threads that are started from now on, too. */
export function setCollectorFlags(): void {
  // A size in the arguments of Node is meant for the main thread. The others have `maxYoungGenerationSizeMb`.
  setFlagsFromString('--max-semi-space-size=0');
  // A thread that frees buffers makes the main thread wait for the lock of malloc, thousands of times in a callback.
  setFlagsFromString('--no-concurrent-array-buffer-sweeping');
}

/** What a load or the start has left is collected in the first periods after it. Later ones would mark the whole heap again for little. */
const OLD_PERIODS_MAX = 2;

/**
 * Collects garbage in each 10 s in which this thread has little to do, so that an idle server is small. By itself V8 collects the young
 * generation when it is full, and the old one when it has doubled.
 */
export function keepHeapSmall(): void {
  let collect: ReturnType<typeof quietCollector> | undefined;
  inQuietTimes((periods) => {
    // Not at the start: changed flags make V8 refuse the code that it finds in the compile cache.
    collect ??= quietCollector();
    collect({ isOldToo: periods <= OLD_PERIODS_MAX });
  });
}

/**
 * V8 looks at them at the end of a small collection, and begins to mark when the old generation has grown by a tenth of what it may grow until
 * it is collected by itself. That collection then also joins what is left on pages with much room.
 */
const OLD_TOO = ['--incremental-marking-hard-trigger=10', '--optimize-for-size'] as const;
const NOT_OLD = ['--incremental-marking-hard-trigger=0', '--no-optimize-for-size'] as const;

/**
 * Returns a function that collects what this thread has allocated last, in about a millisecond. At a time of few allocations, V8 then makes
 * its young generation as small as what is still in use, and returns the rest to the system some seconds later. If asked for, and if the old
 * generation has grown since it was collected, V8 also begins to mark what is in use there, beside the program, and collects the rest some
 * milliseconds later. After much growth it joins again what is left, 8 s later and if the call was repeated.
 */
export function quietCollector(): (what: { readonly isOldToo: boolean }) => void {
  setFlagsFromString('--expose-gc');
  const collect: (options: { readonly type: 'minor' }) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return ({ isOldToo }) => {
    if (isOldToo) for (const flag of OLD_TOO) setFlagsFromString(flag);
    collect({ type: 'minor' });
    if (isOldToo) for (const flag of NOT_OLD) setFlagsFromString(flag);
    allocateInCpp();
  };
}

/**
 * V8 only makes the heap smaller at a time of few allocations. A time in which no object of Node's C++ code was made counts as one of many
 * (`--trace-mutator-utilization` prints "Embedder mutator utilization = 0.000"), and V8 waits for 100 s. A script is such an object.
 */
function allocateInCpp(): void {
  void new Script('');
}
