/** What a benchmark is given and what it gives back. */

export interface BenchContext {
  /** Fewer rounds and smaller inputs: shows that it runs, and the order of magnitude. */
  readonly quick: boolean;
  /** The largest inputs, for a machine that has the time. */
  readonly full: boolean;
  /** Empty, and removed at the end. */
  readonly directory: string;
  /** Kept between runs, for what takes long to make and is always the same. */
  readonly cacheDirectory: string;
  /** Undone at the end, also on Ctrl-C: last in, first out. */
  readonly scope: AsyncDisposableStack;
  /** Progress, for whoever waits. */
  say(line: string): void;
}

export interface Benchmark {
  readonly name: string;
  /** One line: what is measured, against whom. */
  readonly summary: string;
  run(context: BenchContext): Promise<readonly Row[]>;
}

/** One measured number, in the words of the `--json` line. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly peer: string | null;
  readonly peerValue: number | null;
  /** How many times better ours is than the peer; above 1 ours is better, whatever the unit. */
  readonly ratio: number | null;
  readonly goal: string | null;
  readonly met: boolean | null;
}

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly peer?: { readonly name: string; readonly value: number } | undefined;
  readonly goal?: Goal | undefined;
}

/** `ratio` at least so many times the peer; `value` at least or at most so much, by which is better. */
export type Goal = { readonly ratio: number } | { readonly value: number };

/** A goal of a ratio without a peer is neither met nor missed. */
export function rowOf({ name, value, unit, better, peer, goal }: Measurement): Row {
  const ratioTo = (other: number): number => (better === 'higher' ? value / other : other / value);
  const ratio = peer === undefined ? null : ratioTo(peer.value);
  const row = { name, value, unit, peer: peer?.name ?? null, peerValue: peer?.value ?? null, ratio };
  if (goal === undefined) return { ...row, goal: null, met: null };
  if ('ratio' in goal) {
    return {
      ...row,
      goal: `>= ${goal.ratio.toFixed(1)} x`,
      met: ratio === null ? null : ratio >= goal.ratio,
    };
  }
  const met = better === 'higher' ? value >= goal.value : value <= goal.value;
  return { ...row, goal: `${better === 'higher' ? '>=' : '<='} ${goal.value} ${unit}`, met };
}

/** A benchmark that cannot run here, worded for whoever started it: what is missing and the way out. */
export class CannotRun extends Error {}
