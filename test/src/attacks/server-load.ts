/** What the attacks made the server do: its longest work, and its memory. */
import { coveredMs, overlapping, type ThreadTimes } from './host-stops.ts';
import type { MonitorLine, Work } from './server-monitor.ts';

/** The longest work of a second. */
export interface LongWork extends Pick<Work, 'type' | 'stacks'> {
  /** Processor time, ms, without garbage collections and without the stops that the host made. */
  readonly workedMs: number;
  /** How long the host stopped the processor meanwhile, ms. */
  readonly stoppedMs: number;
  /** Seconds after the start. */
  readonly at: number;
}

export interface ServerLoad {
  /** The longest turn of the event loop. */
  readonly turn: LongWork;
  /** The longest callbacks, one of a second, the longest first. */
  readonly callbacks: readonly LongWork[];
  /** Seconds with a callback over the limit. */
  readonly longCallbacks: number;
  /** The same, but of callbacks over the limit only because the host stopped the processor. */
  readonly stoppedCallbacks: number;
  /** The longest garbage collection, ms. */
  readonly collectionMs: number;
  readonly growthMegabytes: number;
  /** The minimum of the last minute above the first: memory that is kept, and not only used. */
  readonly keptMegabytes: number;
}

const CALLBACKS_SHOWN = 20;
const LAST_SECONDS = 60;
const NONE: LongWork = { type: '', workedMs: 0, stoppedMs: 0, at: 0 };

/** `times` are those of the server's main thread. The first line belongs to the second `firstAt`. */
export function serverLoad(
  lines: readonly MonitorLine[],
  { times, firstAt, callbackMaxMs }: LoadConditions,
): ServerLoad {
  const turns = lines.map((line, index) => longest(line.turns, times, firstAt + index));
  const callbacks = lines.map((line, index) => longest(line.callbacks, times, firstAt + index));
  const isOver = (ms: number): boolean => ms > callbackMaxMs;
  const asMeasured = lines.filter(({ callbacks: [first] }) => isOver(first?.usedMs ?? 0)).length;
  const longCallbacks = callbacks.filter(({ workedMs }) => isOver(workedMs)).length;
  const resident = lines.map(({ residentMegabytes }) => residentMegabytes);
  return {
    turn: turns.toSorted(byWork)[0] ?? NONE,
    callbacks: callbacks
      .filter(({ workedMs }) => workedMs > 0)
      .toSorted(byWork)
      .slice(0, CALLBACKS_SHOWN),
    longCallbacks,
    stoppedCallbacks: asMeasured - longCallbacks,
    collectionMs: Math.max(0, ...lines.map((line) => line.collectionMs)),
    growthMegabytes: Math.max(0, ...resident) - (resident[0] ?? 0),
    keptMegabytes: Math.min(...resident.slice(-LAST_SECONDS)) - (resident[0] ?? 0),
  };
}

export interface LoadConditions {
  readonly times: ThreadTimes;
  readonly firstAt: number;
  readonly callbackMaxMs: number;
}

function longest(works: readonly Work[], times: ThreadTimes, at: number): LongWork {
  const all = works.map((work): LongWork => {
    const { type, usedMs, stacks } = work;
    const stoppedMs = stoppedOutside(work, times);
    return { type, workedMs: usedMs - stoppedMs, stoppedMs, at, ...(stacks === undefined ? {} : { stacks }) };
  });
  return all.toSorted(byWork)[0] ?? { ...NONE, at };
}

/**
 * Collections are measured by the clock, so they contain the stops in them. Time on a processor that the thread is not charged with was stolen
 * from it, as some kernels know, and is not subtracted again.
 */
function stoppedOutside(work: Work, times: ThreadTimes): number {
  const { fromMs, toMs, usedMs, collections } = work;
  const [stops, absences] = [overlapping(work, times.stops), overlapping(work, times.absences)];
  const stoppedMs = coveredMs(work, [...stops, ...collections]) - coveredMs(work, collections);
  const onProcessorMs = toMs - fromMs - coveredMs(work, [...absences, ...collections]);
  return Math.max(0, stoppedMs - Math.max(0, onProcessorMs - usedMs));
}

function byWork(one: LongWork, other: LongWork): number {
  return other.workedMs - one.workedMs;
}
