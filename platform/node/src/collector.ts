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

/** Of the growth after which V8 would collect the old generation by itself. */
const GROWN_PERCENT = 10;

/**
 * Returns a function that collects what this thread has allocated last, in about a millisecond. At a time of few allocations, V8 then makes
 * its young generation as small as what is still in use, and returns the rest to the system some seconds later. If asked for, and if the old
 * generation has grown since it was collected, V8 also begins to mark what is in use there, beside the program, and collects the rest some
 * milliseconds later. 8 s later it joins what is left, so that whole pages are free, if the call was repeated.
 */
export function quietCollector(): (what: { readonly isOldToo: boolean }) => void {
  setFlagsFromString('--expose-gc');
  const collect: (options: { readonly type: 'minor' }) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return ({ isOldToo }) => {
    // V8 looks at it at the end of the collection.
    if (isOldToo) setFlagsFromString(`--incremental-marking-hard-trigger=${GROWN_PERCENT}`);
    collect({ type: 'minor' });
    if (isOldToo) setFlagsFromString('--incremental-marking-hard-trigger=0');
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
