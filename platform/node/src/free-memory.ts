import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withoutFfiWarning } from './c-library.ts';

const PERIOD_MS = 10_000;
/** The share of the time in which the event loop of a server with little to do works. */
const QUIET_MAX = 0.1;
const LOOK_MS = 1_000;
const LOOKS_AFTER_START = 5;
/** Collecting a heap of this size takes about 0.1 s. */
const COLLECTED_HEAP_BYTES_MAX = 48 * 1024 * 1024;

/**
 * Returns free memory of the C library to the system, now, and every 10 s while the server has little to do. The library otherwise
 * keeps what the start used, mainly the compilers, for as long as something above it is in use. Takes about a millisecond. Under load
 * it would take up to 6, and would not make the process smaller. Does nothing where the C library is not glibc (malloc_trim(3)).
 */
export async function keepFreeMemorySmall(): Promise<void> {
  try {
    const { dlopen } = await withoutFfiWarning(() => import('node:ffi'));
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    const trim = () => void functions.malloc_trim(0n);
    trim();
    let before = performance.eventLoopUtilization();
    setInterval(() => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      if (utilization <= QUIET_MAX) trim();
    }, PERIOD_MS).unref();
  } catch {
    // The function does not exist, or FFI is not available.
  }
}

/**
 * Once, in the first quiet second after the start, if it is one of the first five and the heap is small: returns to the system what
 * V8 has kept for the garbage of the start, some 11 MB. V8 itself keeps it for as long as little is allocated.
 */
export function collectGarbageOfStart(): void {
  let before = performance.eventLoopUtilization();
  let looks = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    looks += 1;
    const isQuiet = utilization <= QUIET_MAX;
    if (isQuiet || looks === LOOKS_AFTER_START) clearInterval(timer);
    if (isQuiet && process.memoryUsage().heapUsed <= COLLECTED_HEAP_BYTES_MAX) collectAll();
  }, LOOK_MS);
  timer.unref();
}

function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
