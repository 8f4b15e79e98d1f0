import { withoutFfiWarning } from './c-library.ts';
import { inQuietTimes } from './quiet-times.ts';

/** Parameter of mallopt(3). */
const M_MXFAST = 1;

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
    inQuietTimes(trim);
  } catch {
    // The function does not exist, or FFI is not available.
  }
}
