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
  /** Groups of its rows that can be measured alone, by name. */
  readonly parts?: Readonly<Record<string, (context: BenchContext) => Promise<readonly Row[]>>>;
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
  /** Why the goal was missed: a minimal program misses it too, and ours is not much behind that. Absent otherwise. */
  readonly floor?: string;
}

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly peer?: Compared | undefined;
  /** A minimal program that does only what cannot be left out, measured in the same run. */
  readonly floor?: Compared | undefined;
  readonly goal: Goal;
}

interface Compared {
  readonly name: string;
  readonly value: number;
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

/** How much worse than a minimal program ours may be, for that to explain a missed goal. */
const FLOOR_RATIO_MIN = 0.8;

/** A goal of a ratio without a peer is neither met nor missed. */
export function rowOf(measurement: Measurement): Row {
  const { name, value, unit, peer, goal, floor } = measurement;
  const ratio = peer === undefined ? null : ratioOf(measurement, value, peer.value);
  const row = { name, value, unit, peer: peer?.name ?? null, peerValue: peer?.value ?? null, ratio };
  if ('none' in goal) return { ...row, goal: `none: ${goal.none}`, met: null };
  const met = isMet(measurement, value);
  const isExplained =
    met === false &&
    floor !== undefined &&
    isMet(measurement, floor.value) === false &&
    ratioOf(measurement, value, floor.value) >= FLOOR_RATIO_MIN;
  return {
    ...row,
    goal: textOf(measurement, goal),
    met,
    ...(isExplained ? { floor: `${floor.name}: ${numberText(floor.value)} ${unit}` } : {}),
  };
}

type Better = Pick<Measurement, 'better'>;

function ratioOf({ better }: Better, value: number, other: number): number {
  return better === 'higher' ? value / other : other / value;
}

/** Whether this value would meet the goal. */
function isMet({ better, peer, goal }: Measurement, value: number): boolean | null {
  if ('none' in goal) return null;
  if ('ratio' in goal)
    return peer === undefined ? null : ratioOf({ better }, value, peer.value) >= goal.ratio;
  return better === 'higher' ? value >= goal.value : value <= goal.value;
}

function textOf({ better, unit }: Measurement, goal: Exclude<Goal, { readonly none: string }>): string {
  if ('ratio' in goal) return `>= ${ratioText(goal.ratio)} x`;
  return `${better === 'higher' ? '>=' : '<='} ${goal.value} ${unit}`.trimEnd();
}

/** One decimal, or two where the goal has them. */
function ratioText(ratio: number): string {
  const short = ratio.toFixed(1);
  return Number(short) === ratio ? short : ratio.toFixed(2);
}

/** Three significant digits, and whole numbers above a hundred. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** A benchmark that cannot run here, with a message about what is missing and the fix. */
export class CannotRun extends Error {}
