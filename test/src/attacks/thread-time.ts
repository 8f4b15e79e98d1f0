/**
 * The processor time of the calling thread. `process.threadCpuUsage` learns of it at the ticks of the kernel, so that it charges a callback
 * with up to 4 ms of those before it. This clock is exact (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID).
 */
import { dlopen } from 'node:ffi';

const CLOCK_THREAD_CPUTIME_ID = 3;

const { functions } = dlopen(null, {
  clock_gettime: { arguments: ['i32', 'buffer'], return: 'i32' },
});
/** struct timespec: two numbers of 64 bits, seconds and nanoseconds. */
const time = new Uint32Array(4);
const bytes = new Uint8Array(time.buffer);

/** Milliseconds. */
export function threadTimeMs(): number {
  functions.clock_gettime(CLOCK_THREAD_CPUTIME_ID, bytes);
  return (time[0] ?? 0) * 1000 + (time[2] ?? 0) / 1e6;
}
