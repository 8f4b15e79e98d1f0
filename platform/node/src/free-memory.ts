import { withoutFfiWarning } from './c-library.ts';

/** Parameter of mallopt(3). */
const M_MXFAST = 1;
const PERIOD_MS = 10_000;
/** The share of the time in which the event loop of a server with little to do works. */
const QUIET_MAX = 0.1;

/**
 * Returns free memory of the C library to the system, now, and every 10 s while the server has little to do. The library otherwise
 * keeps what the start used, mainly the compilers, for as long as something above it is in use. Takes about a millisecond. Under load
 * it would take up to 6, and would not make the process smaller. Does nothing where the C library is not glibc (malloc_trim(3)).
 */
export async function keepFreeMemorySmall(): Promise<void> {
  try {
    const { dlopen } = await withoutFfiWarning(() => import('node:ffi'));
    const { functions } = dlopen(null, {
      malloc_trim: { arguments: ['u64'], return: 'i32' },
      mallopt: { arguments: ['i32', 'i32'], return: 'i32' },
    });
    functions.mallopt(M_MXFAST, 0);
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
