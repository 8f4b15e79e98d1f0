/** The shape of a cause, and the two usual ways to find one: a record of a problem, and silence. */
import type { StagedRecord } from '../boot/boot-records.ts';
import type { Facts } from '../facts.ts';
import { steps, type StepName } from '../steps.ts';
import type { TimelineRecord } from '../timeline-record.ts';

/** `certain`: the server has seen it. `likely`: other causes are rare. `possible`: check it first. */
export type Certainty = 'certain' | 'likely' | 'possible';

export interface Evidence {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly text: string;
}

export interface Found {
  /** At least one entry, oldest first. */
  readonly evidence: readonly Evidence[];
  /** When the machine stopped making progress, milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** Details of this machine, as a clause after the cause's sentence. */
  readonly detail?: string;
  /** The workflow that the advice is about, as namespace and name. Absent: the last one of the boot. */
  readonly workflow?: string;
}

export interface Cause {
  /** Kebab case. It never changes, because alerts are configured with it. */
  readonly id: string;
  readonly sentence: string;
  /** What shows it, for the documentation. */
  readonly shows: string;
  /** What speaks against it, for the documentation. */
  readonly against: string;
  /** What to do, in the order in which to do it. MACHINE, WORKFLOW and TEMPLATE in it become their names. */
  readonly advice: readonly string[];
  readonly certainty: Certainty;
  readonly find: (facts: Facts) => Found | undefined;
}

const EVIDENCE_MAX = 5;
/** A problem is judged when the machine has not overcome it for this long. Boot loaders ask for files that need not exist. */
export const SETTLE_MS = 8_000;

export function evidenceOf(records: readonly TimelineRecord[]): readonly Evidence[] {
  return records.slice(-EVIDENCE_MAX).map(({ atMs, message }) => ({ atMs, text: message }));
}

/** Returns undefined without records. */
export function foundIn(records: readonly TimelineRecord[], detail?: string): Found | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  return {
    evidence: evidenceOf(records),
    sinceMs: first.atMs,
    ...(detail === undefined ? {} : { detail }),
  };
}

export interface TroubleShape {
  readonly events: readonly string[];
  /** The record's reason or outcome. Absent: any. */
  readonly reasons?: readonly string[];
  readonly message?: RegExp;
}

/** Finds a problem that the machine has not overcome. */
export function trouble(shape: TroubleShape): Cause['find'] {
  return (facts) => foundIn(settledTroubles(facts).filter((record) => isLike(record, shape)));
}

export function settledTroubles({
  troubles,
  nowMs,
}: Pick<Facts, 'troubles' | 'nowMs'>): readonly StagedRecord[] {
  return troubles.filter(({ atMs, source }) => source === 'workflow' || nowMs - atMs >= SETTLE_MS);
}

export function isLike({ event, details, message }: TimelineRecord, shape: TroubleShape): boolean {
  if (!shape.events.includes(event)) return false;
  if (shape.message !== undefined && !shape.message.test(message)) return false;
  const reason = String(details?.['reason'] ?? details?.['outcome'] ?? '');
  return shape.reasons === undefined || shape.reasons.includes(reason);
}

/** Finds silence in a step that is longer than usual. A problem that has just occurred may be the reason, and is judged first. */
export function silence(...names: readonly StepName[]): Cause['find'] {
  return ({ wait, nowMs, troubles: [first] }) => {
    if (wait === undefined || !wait.isOverdue || !names.includes(wait.step)) return undefined;
    if (first !== undefined && nowMs - first.atMs < SETTLE_MS) return undefined;
    const seconds = Math.round((nowMs - wait.sinceMs) / 1000);
    const limit = Math.round(wait.limitMs / 1000);
    const { after, before } = steps[wait.step];
    const text = `it ${after} ${seconds} s ago, and a machine like it ${before} within ${limit} s`;
    return {
      evidence: [...evidenceOf([wait.record]), { atMs: nowMs, text }],
      sinceMs: wait.sinceMs,
    };
  };
}

/** Lines of the in-memory OS and its agent since the last boot, and lines of the serial console. */
export function saidLike(pattern: RegExp): Cause['find'] {
  return (facts) => {
    if (facts.wait?.step !== 'agent' || facts.nowMs - facts.wait.sinceMs < SETTLE_MS) return undefined;
    const said = facts.boot.filter(({ event }) => event === 'message-received');
    const found = [...said, ...facts.lastPrinted].filter(({ message }) => pattern.test(message));
    const since = foundIn(found);
    return since === undefined ? undefined : { ...since, sinceMs: facts.wait.sinceMs };
  };
}
