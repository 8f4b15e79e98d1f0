/** Decides why a machine does not boot, and when it must be checked again. */
import { causes } from './causes/causes.ts';
import { evidenceOfChecks } from './checks.ts';
import { namedAdvice } from './causes/named-advice.ts';
import { SETTLE_MS, type Certainty, type Evidence } from './causes/cause.ts';
import { factsOf, isEnded, noveltiesOf, powerOnOf, type Facts, type Observation } from './facts.ts';
import { steps, stepAfter, type StepName } from './steps.ts';
import type { StagedRecord } from './boot/boot-records.ts';
import type { TimelineRecord } from './timeline-record.ts';

export const verdictStates = ['healthy', 'booting', 'working', 'stopped', 'unseen'] as const;
export type VerdictState = (typeof verdictStates)[number];

export interface Verdict {
  /**
   * `healthy`: it booted, or has nothing to do. `booting`: it makes progress. `working`: its agent is at work. `stopped`: it stands still.
   * `unseen`: it has not asked for anything yet.
   */
  readonly state: VerdictState;
  /** The id of the cause. Only of a stopped machine. */
  readonly cause?: string;
  readonly certainty?: Certainty;
  /** One sentence for a person. */
  readonly text: string;
  readonly evidence: readonly Evidence[];
  readonly advice: readonly string[];
  /** Since when it is in this state, milliseconds since the Unix epoch. Absent if it is unseen. */
  readonly sinceMs?: number;
}

export interface Diagnosis {
  readonly verdict: Verdict;
  /** When silence becomes a finding. Absent if time changes nothing. */
  readonly againMs?: number;
}

export function diagnose(observation: Observation): Diagnosis {
  const facts = factsOf(observation);
  const verdict = stopped(facts) ?? progress(facts);
  const againMs = againOf(facts, verdict);
  return againMs === undefined ? { verdict } : { verdict, againMs };
}

function stopped(facts: Facts): Verdict | undefined {
  for (const { id, certainty, sentence, advice, find } of causes) {
    const found = find(facts);
    if (found === undefined) continue;
    const { evidence, sinceMs, detail, workflow } = found;
    const text = detail === undefined ? sentence : `${sentence.replace(/\.$/, '')}: ${detail}.`;
    const tried = evidenceOfChecks(facts.tried ?? [], facts.boot[0]?.atMs ?? 0);
    return {
      state: 'stopped',
      cause: id,
      certainty,
      text,
      evidence: [...evidence, ...tried],
      advice: namedAdvice(advice, facts, workflow),
      sinceMs,
    };
  }
  return undefined;
}

/** One for all, because each machine has a verdict. */
const NONE: readonly never[] = [];
const UNSEEN: Verdict = {
  state: 'unseen',
  text: 'It has not asked for anything yet.',
  evidence: NONE,
  advice: NONE,
};

function progress({ boot, wait, nowMs }: Facts): Verdict {
  const [first] = boot;
  if (wait !== undefined)
    return plain('booting', `It ${steps[wait.step].after}.`, first?.atMs ?? wait.sinceMs);
  if (first === undefined) return UNSEEN;
  const last = boot.at(-1) ?? first;
  const isAtWork = boot.some(({ source }) => source === 'agent') && !isEnded(boot);
  if (isAtWork) return plain('working', 'Its workflow is running.', first.atMs);
  const text = isFailed(boot) ? 'Its workflow was ended by an operator.' : 'Its last boot was successful.';
  return plain('healthy', text, Math.min(last.atMs, nowMs));
}

function plain(state: VerdictState, text: string, sinceMs: number): Verdict {
  return { state, text, evidence: NONE, advice: NONE, sinceMs };
}

/** A workflow that failed by itself is a finding. */
function isFailed(boot: readonly StagedRecord[]): boolean {
  return boot.findLast(({ event }) => event === 'state-changed')?.details?.['to'] === 'FAILED';
}

/** A problem is judged when it has settled, and silence at its limit. A stopped machine is checked when it is heard of again. */
function againOf({ wait, troubles, nowMs, lastPrinted }: Facts, { state }: Verdict): number | undefined {
  const times = [
    ...troubles.map(({ atMs }) => atMs + SETTLE_MS),
    ...lastPrinted.slice(-1).map(({ atMs }) => atMs + SETTLE_MS),
    ...(wait === undefined ? [] : [wait.sinceMs + SETTLE_MS, wait.dueMs]),
  ].filter((atMs) => atMs > nowMs);
  return times.length === 0 || state === 'unseen' ? undefined : Math.min(...times);
}

/**
 * Returns how long each step of a boot took, in milliseconds, for `UsualDurations`. The last step is not over. `records` are all of the
 * machine, in which the BMC has powered it on.
 */
export function stepDurations(
  boot: readonly StagedRecord[],
  records: readonly TimelineRecord[] = boot,
): ReadonlyMap<StepName, number> {
  const durations = new Map<StepName, number>();
  const [first] = boot;
  const powerOn = first === undefined ? undefined : powerOnOf(records, first.sequence);
  if (first !== undefined && powerOn !== undefined) durations.set('power-on', first.atMs - powerOn.atMs);
  let begun: { readonly step: StepName; readonly atMs: number } | undefined;
  for (const at of noveltiesOf(boot)) {
    const record = boot[at];
    if (record === undefined) continue;
    if (begun !== undefined)
      durations.set(begun.step, Math.max(record.atMs - begun.atMs, durations.get(begun.step) ?? 0));
    const step = stepAfter(record, boot.slice(0, at));
    begun = step === undefined ? undefined : { step, atMs: record.atMs };
  }
  return durations;
}
