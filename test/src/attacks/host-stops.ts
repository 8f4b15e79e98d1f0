/**
 * Finds where the host stopped the processor of a thread. Not all stops of a virtual machine count as steal: a processor that waits for memory of
 * the host is one of them. The thread that ran is charged with the time, as if it had worked.
 *
 * Timers of the kernel interrupt each processor every millisecond (tick-maker.ts), so they interrupt a thread that runs. One that comes late is
 * a stop. The part of a stop before the timer is due stays unknown, so a stop counts for too little and never for too much.
 */
import type { Stretch } from './busy-times.ts';

/** All in ascending order, ms of the kernel's monotonic clock. */
export interface ThreadTimes {
  /** The host stopped the processor while the thread ran. */
  readonly stops: readonly Stretch[];
  /** The thread slept, or waited for a processor. Shorter ones than a millisecond are left out. */
  readonly absences: readonly Stretch[];
}

/** Timers are due at multiples of it, see tick-maker.ts. */
export const PERIOD_MS = 1;
/** Shorter delays have many causes, such as sections of the kernel that cannot be interrupted, or a timer that was set too late. */
const STOP_MIN_MS = 1.5;
const ABSENCE_MIN_MS = 1;
/** `COMMAND-PID [CPU] FLAGS SECONDS: EVENT: FIELDS` */
const EVENT = /\[\d+\]\s+\S+\s+(\d+\.\d+): (\w+): (.*)$/;
const SWITCH_TO = /next_pid=(\d+)/;

/** Reads the trace of one thread, by line: when it got and left a processor, and when timers interrupted it. */
export async function timesOf(
  thread: number,
  trace: Iterable<string> | AsyncIterable<string>,
): Promise<ThreadTimes> {
  const [stops, absences]: [Stretch[], Stretch[]] = [[], []];
  /** Since when the thread runs without a timer. Undefined: it does not run, or events are lost. */
  let silentSinceMs: number | undefined;
  let leftAtMs: number | undefined;
  for await (const line of trace) {
    const [, seconds, event, fields = ''] = EVENT.exec(line) ?? [];
    const atMs = Number(seconds) * 1000;
    if (event === 'hrtimer_expire_entry') {
      const dueMs = (Math.floor((silentSinceMs ?? atMs) / PERIOD_MS) + 1) * PERIOD_MS;
      if (atMs - dueMs >= STOP_MIN_MS) stops.push({ fromMs: dueMs, toMs: atMs });
      silentSinceMs = atMs;
    } else if (event !== 'sched_switch') {
      // Such a line says that events are lost.
      [silentSinceMs, leftAtMs] = [undefined, undefined];
    } else if (Number(SWITCH_TO.exec(fields)?.[1]) === thread) {
      if (leftAtMs !== undefined && atMs - leftAtMs >= ABSENCE_MIN_MS)
        absences.push({ fromMs: leftAtMs, toMs: atMs });
      [silentSinceMs, leftAtMs] = [atMs, undefined];
    } else {
      [silentSinceMs, leftAtMs] = [undefined, atMs];
    }
  }
  return { stops, absences };
}

/** Returns those of stretches in ascending order that overlap with one. */
export function overlapping({ fromMs, toMs }: Stretch, ascending: readonly Stretch[]): readonly Stretch[] {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle]?.toMs ?? 0) <= fromMs) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while ((ascending[end]?.fromMs ?? toMs) < toMs) end += 1;
  return ascending.slice(low, end);
}

/** Returns how much of a stretch of time others cover, ms. They may overlap. */
export function coveredMs({ fromMs, toMs }: Stretch, others: readonly Stretch[]): number {
  let [sumMs, untilMs] = [0, fromMs];
  for (const other of others.toSorted((one, next) => one.fromMs - next.fromMs)) {
    const [startMs, endMs] = [Math.max(other.fromMs, untilMs), Math.min(other.toMs, toMs)];
    if (endMs <= startMs) continue;
    sumMs += endMs - startMs;
    untilMs = endMs;
  }
  return sumMs;
}
