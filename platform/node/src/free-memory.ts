import { withoutFfiWarning } from './c-library.ts';

const PERIOD_MS = 60_000;

/**
 * Gives memory of the C library that is free back to the system, now and each minute: it keeps what the start took, compilers
 * above all, for as long as something above it is in use. Takes about a millisecond. Does nothing where the C library is not
 * glibc (malloc_trim(3)).
 */
export async function keepFreeMemorySmall(): Promise<void> {
  try {
    const { dlopen } = await withoutFfiWarning(() => import('node:ffi'));
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    const trim = () => void functions.malloc_trim(0n);
    trim();
    setInterval(trim, PERIOD_MS).unref();
  } catch {
    // No such function, or no FFI.
  }
}
