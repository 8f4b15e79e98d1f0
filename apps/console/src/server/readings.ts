/** Readings of the metrics over time, and what is plotted of them. Pure. */
import { totalOf, type Sample } from './server-texts.ts';

export interface Reading {
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

export interface Plotted {
  readonly metric: string;
  /** A counter is shown as its change per second. */
  readonly isRate: boolean;
}

/** An hour of readings, one each 5 s. */
const READINGS_MAX = 720;

export function withReading(readings: readonly Reading[], next: Reading): readonly Reading[] {
  return [...readings, next].slice(-READINGS_MAX);
}

/** Null: unknown. A counter that is lower than before belongs to a server that has restarted. */
export function pointsOf(
  readings: readonly Reading[],
  { metric, isRate }: Plotted,
): readonly (number | null)[] {
  const values = readings.map(({ samples }) => totalOf(samples, metric));
  if (!isRate) return values;
  return values.map((value, index) => {
    const [before, seconds] = [values[index - 1], secondsBetween(readings[index - 1], readings[index])];
    return before === undefined || value < before || seconds <= 0 ? null : (value - before) / seconds;
  });
}

function secondsBetween(before: Reading | undefined, after: Reading | undefined): number {
  return before === undefined || after === undefined ? 0 : (after.atMs - before.atMs) / 1000;
}
