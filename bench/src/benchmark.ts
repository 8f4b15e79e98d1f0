/** The input and output of a benchmark. */

export interface BenchContext {
  /** Fewer rounds and smaller inputs. This shows that it runs, and the order of magnitude. */
  readonly quick: boolean;
  /** The largest inputs, for a machine that has the time. */
  readonly full: boolean;
  /** A folder that is empty at first and removed at the end. */
  readonly directory: string;
  /** A folder that is kept between runs, for constant data that takes long to create. */
  readonly cacheDirectory: string;
  /** Cleanup at the end, also on Ctrl-C: last in, first out. */
  readonly scope: AsyncDisposableStack;
  /** Progress messages. */
  say(line: string): void;
}

export interface Benchmark {
  readonly name: string;
  /** One line: what is measured, and the peer. */
  readonly summary: string;
  run(context: BenchContext): Promise<readonly Row[]>;
}

/** One measured number, in the format of the `--json` line. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly peer: string | null;
  readonly peerValue: number | null;
  /** How many times better ours is than the peer. Above 1 ours is better, whatever the unit. */
  readonly ratio: number | null;
  /** `none: ` and the reason, if the row has no goal. */
  readonly goal: string;
  readonly met: boolean | null;
}

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly peer?: { readonly name: string; readonly value: number } | undefined;
  readonly goal: Goal;
}

/**
 * `ratio`: at least this many times the peer. `value`: at least or at most this much, depending on which is
 * better. `none`: why the row has no goal.
 */
export type Goal = { readonly ratio: number } | { readonly value: number } | { readonly none: string };

/** For a row that explains another one. */
export const EXPLAINS: Goal = { none: 'explains the row above' };
/** For a row that has no comparable peer and no agreed limit. */
export const WATCHED: Goal = { none: 'watched for growth' };

/** A goal of a ratio without a peer is neither met nor missed. */
export function rowOf({ name, value, unit, better, peer, goal }: Measurement): Row {
  const ratioTo = (other: number): number => (better === 'higher' ? value / other : other / value);
  const ratio = peer === undefined ? null : ratioTo(peer.value);
  const row = { name, value, unit, peer: peer?.name ?? null, peerValue: peer?.value ?? null, ratio };
  if ('none' in goal) return { ...row, goal: `none: ${goal.none}`, met: null };
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

/** A benchmark that cannot run here, with a message about what is missing and the fix. */
export class CannotRun extends Error {}
