/**
 * Lets a timer of the kernel interrupt its processor every millisecond, on the same grid as the kernel's own ticks, until it is ended. It is
 * started on one processor with a real-time priority.
 */
import { dlopen } from 'node:ffi';
import { PERIOD_MS } from './host-stops.ts';

const CLOCK_MONOTONIC = 1;
const TIMER_ABSTIME = 1;
const PERIOD_NANOSECONDS = PERIOD_MS * 1e6;
const SECOND_NANOSECONDS = 1e9;

const { functions } = dlopen(null, {
  clock_nanosleep: { arguments: ['i32', 'i32', 'buffer', 'buffer'], return: 'i32' },
});
/** struct timespec: two numbers of 64 bits, seconds and nanoseconds. */
const time = new Uint32Array(4);
const bytes = new Uint8Array(time.buffer);

for (;;) {
  const next = (Math.floor(Number(process.hrtime.bigint()) / PERIOD_NANOSECONDS) + 1) * PERIOD_NANOSECONDS;
  time[0] = Math.floor(next / SECOND_NANOSECONDS);
  time[2] = next % SECOND_NANOSECONDS;
  // The rest of the time is not written for an absolute time, see clock_nanosleep(2).
  functions.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, bytes, bytes);
}
