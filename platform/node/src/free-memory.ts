import { withoutFfiWarning } from './c-library.ts';

const PERIOD_MS = 10_000;

/**
 * Returns free memory of the C library to the system, now and every 10 s. The library otherwise keeps what the start used,
 * mainly the compilers, for as long as something above it is in use. Takes about a millisecond. Does nothing where the C library
 * is not glibc (malloc_trim(3)).
 */
export async function keepFreeMemorySmall(): Promise<void> {
  try {
    const { dlopen } = await withoutFfiWarning(() => import('node:ffi'));
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    const trim = () => void functions.malloc_trim(0n);
    trim();
    setInterval(trim, PERIOD_MS).unref();
  } catch {
    // The function does not exist, or FFI is not available.
  }
}
