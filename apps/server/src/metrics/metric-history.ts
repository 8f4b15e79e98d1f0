/** The last hour of a few metrics, in memory, for the plots of the web console. */
import { WholeResponse } from '@tinkerbell/platform-contract';
import type { MetricFamilies } from '@tinkerbell/platform-metrics';

export const EVERY_MS = 10_000;
/** An hour. */
const POINTS_MAX = 360;
/** More digits are noise, and bytes. */
const DIGITS = 4;

/** What only grows while the process runs, and the memory. */
export interface Totals {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly residentBytes: number;
  readonly processorSeconds: number;
  /** The time in which the event loop of the main thread was not idle. */
  readonly busySeconds: number;
  readonly requests: number;
  readonly dhcpMessages: number;
  readonly agentReports: number;
}

/** The means since the point before. Rates are per second, and shares those of one processor. */
export interface Point {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly processorShare: number;
  readonly busyShare: number;
  readonly requestRate: number;
  readonly dhcpRate: number;
  readonly reportRate: number;
}

export function pointBetween(before: Totals, now: Totals): Point {
  const seconds = Math.max(now.atMs - before.atMs, 1) / 1000;
  const rate = (name: Exclude<keyof Totals, 'atMs'>): number =>
    Number((Math.max(now[name] - before[name], 0) / seconds).toPrecision(DIGITS));
  return {
    atMs: now.atMs,
    residentBytes: now.residentBytes,
    processorShare: rate('processorSeconds'),
    busyShare: rate('busySeconds'),
    requestRate: rate('requests'),
    dhcpRate: rate('dhcpMessages'),
    reportRate: rate('agentReports'),
  };
}

export class MetricHistory {
  readonly #points: Point[] = [];
  #before: Totals;

  /** `start`: when the process began, with nothing counted yet. */
  constructor(start: Totals) {
    this.#before = start;
  }

  /** Adds a point. An hour later it is gone. */
  take(now: Totals): void {
    this.#points.push(pointBetween(this.#before, now));
    if (this.#points.length > POINTS_MAX) this.#points.shift();
    this.#before = now;
  }

  /** `/metrics/history`: the points as JSON, oldest first. */
  answer(): Response {
    const body = JSON.stringify({ everySeconds: EVERY_MS / 1000, points: this.#points });
    return new WholeResponse(`${body}\n`, { headers: { 'content-type': 'application/json' } });
  }
}

/** Returns the sum of all samples of a counter in those of several services. */
export function totalOf(sources: readonly MetricFamilies[], name: string): number {
  let total = 0;
  for (const source of sources)
    for (const family of source.families())
      if (family.name === name) for (const [, value] of family.samples()) total += value;
  return total;
}
