import { performance } from 'node:perf_hooks';
import { withoutFfiWarning } from './c-library.ts';

const PERIOD_MS = 60_000;
/** The part of the time that the event loop worked. */
const BUSY = 0.1;

/**
 * Returns free memory of the C library to the system: now, and once a minute while the process has little to do. The library otherwise keeps
 * what the start used, mainly the compilers, for as long as something above it is in use. It takes up to 10 ms after much
 * work, and a busy process soon uses that memory again. Does nothing where the C library is not glibc (malloc_trim(3)).
 */
export async function keepFreeMemorySmall(): Promise<void> {
  try {
    const { dlopen } = await withoutFfiWarning(() => import('node:ffi'));
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    const trim = () => void functions.malloc_trim(0n);
    trim();
    let last = performance.eventLoopUtilization();
    setInterval(() => {
      const now = performance.eventLoopUtilization();
      if (performance.eventLoopUtilization(now, last).utilization < BUSY) trim();
      last = now;
    }, PERIOD_MS).unref();
  } catch {
    // The function does not exist, or FFI is not available.
  }
}
