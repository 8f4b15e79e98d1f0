import { formatTime } from './time-format.ts';

/** Writes a time in UTC by a layout of Go's package time, such as `2006-01-02T15:04:05Z07:00`. */
export function formatGoTime(ms: number, layout: string): string {
  const seconds = Math.floor(ms / 1000);
  const nanoseconds = (ms - seconds * 1000) * 1_000_000;
  return formatTime({ seconds: BigInt(seconds), nanoseconds, offsetSeconds: 0, zone: 'UTC' }, layout);
}
