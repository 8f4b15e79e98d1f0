/** What is known about a machine when it is diagnosed, and what follows from it for every cause. */
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { bootsIn, type StagedRecord } from './boot/boot-records.ts';
import { meaningOf } from './boot/event-table.ts';
import { adviceOn } from './boot/reason-advice.ts';
import type { TriedChecks } from './checks.ts';
import { addressOf } from './networks.ts';
import { paceLimitMs } from './pace.ts';
import { isNetbooted, stepAfter, type StepName } from './steps.ts';
import type { TimelineRecord } from './timeline-record.ts';

/** An unregistered machine whose MAC differs from the Hardware’s by a typing error. */
export interface NearMachine {
  readonly mac: string;
  /** The record that shows it. */
  readonly record: TimelineRecord;
}

export interface Observation {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The MACs of the machine. */
  readonly macs: readonly string[];
  /** The records of the machine, oldest first. */
  readonly records: readonly TimelineRecord[];
  /** Lines that the machine printed on its serial console, oldest first. */
  readonly printed?: readonly TimelineRecord[];
  readonly hardware?: Hardware;
  /** Names of other Hardware that have one of its MACs. */
  readonly rivals?: readonly string[];
  /** The workflows of the machine, oldest first. */
  readonly workflows?: readonly Workflow[];
  /** Unregistered machines with similar MACs. */
  readonly near?: readonly NearMachine[];
  readonly network?: {
    /** An IPv4 address of this server. */
    readonly serverAddress: string;
    /** The addresses of the relays that have forwarded requests. */
    readonly relays: readonly string[];
  };
  /** The last active checks of the machine, from each place. Absent: there were none. */
  readonly tried?: readonly TriedChecks[];
  /** Silence in a step is normal for this long, in milliseconds. */
  readonly limitMs: (step: StepName) => number;
  /** When the server did not run, before its last start. Silence in that time means nothing. */
  readonly down?: { readonly fromMs: number; readonly untilMs: number };
}

export interface Wait {
  readonly step: StepName;
  readonly sinceMs: number;
  readonly limitMs: number;
  /** When silence becomes a finding. */
  readonly dueMs: number;
  readonly isOverdue: boolean;
  /** The record that began the wait. */
  readonly record: TimelineRecord;
}

export interface Facts extends Omit<Observation, 'limitMs' | 'down'> {
  /** Oldest first. */
  readonly boots: readonly (readonly StagedRecord[])[];
  /** The last boot. Empty if the machine has not been seen. */
  readonly boot: readonly StagedRecord[];
  /** What the machine should do next. */
  readonly wait?: Wait;
  /** Problems of the last boot that it has not overcome, oldest first. */
  readonly troubles: readonly StagedRecord[];
  readonly isNetbooted: boolean;
  /** Workflows that have not ended. */
  readonly unfinished: readonly Workflow[];
  /** What the machine printed during its last boot. */
  readonly lastPrinted: readonly TimelineRecord[];
}

const TERMINAL: readonly string[] = ['SUCCESS', 'FAILED', 'TIMEOUT'];

export function factsOf(observation: Observation): Facts {
  const { records, workflows = [], printed = [], limitMs: _limitMs, down: _down, ...rest } = observation;
  const boots = bootsIn(records);
  const boot = boots.at(-1) ?? [];
  const startMs = boot[0]?.atMs ?? 0;
  const wait = powerWait(observation) ?? bootWait(observation, boot);
  return {
    ...rest,
    records,
    workflows,
    boots,
    boot,
    ...(wait === undefined ? {} : { wait }),
    troubles: openTroubles(boot),
    isNetbooted: isNetbooted(boot),
    unfinished: unfinishedOf(workflows),
    lastPrinted: printed.filter(({ atMs }) => atMs >= startMs),
  };
}

function unfinishedOf(workflows: readonly Workflow[]): readonly Workflow[] {
  return workflows.filter(({ status }) => !TERMINAL.includes(status?.state ?? ''));
}

const SEEN_BY: readonly string[] = ['dhcp', 'tftp', 'http', 'image', 'syslog', 'agent'];

/** True if the machine itself has sent something. */
export function isSent({ source }: TimelineRecord): boolean {
  return SEEN_BY.includes(source);
}

/** Returns the record of the BMC that powered the machine on for this boot, its first packet being the next sign of the machine. */
export function powerOnOf(
  records: readonly TimelineRecord[],
  firstSequence: number,
): TimelineRecord | undefined {
  const before = records.filter(({ sequence }) => sequence < firstSequence);
  const at = before.findLastIndex(({ event }) => event === 'boot-job-completed');
  return before.slice(at + 1).some(isSent) ? undefined : before[at];
}

/** A BMC has restarted the machine for a workflow, and the machine has not been seen since. */
function powerWait(observation: Observation): Wait | undefined {
  const { records, workflows = [] } = observation;
  const at = records.findLastIndex(({ event }) => event === 'boot-job-completed');
  const record = records[at];
  if (record === undefined || records.slice(at + 1).some(isSent) || unfinishedOf(workflows).length === 0)
    return undefined;
  return waitOf(observation, { record, step: 'power-on' });
}

function bootWait(observation: Observation, boot: readonly StagedRecord[]): Wait | undefined {
  const at = noveltiesOf(boot).at(-1) ?? -1;
  const record = boot[at];
  if (record === undefined || isEnded(boot)) return undefined;
  const step = stepAfter(record, boot.slice(0, at));
  return step === undefined ? undefined : waitOf(observation, { record, step, boot });
}

/** What a machine does after its script is known by its address. The next record of a machine without one is that of its agent. */
const UNSEEN: readonly StepName[] = ['kernel', 'transfer', 'system', 'agent'];

function stepsUntilSeen({ hardware }: Observation, step: StepName): readonly StepName[] {
  const isUnseen = hardware !== undefined && addressOf(hardware) === undefined;
  return step === 'kernel' && isUnseen ? UNSEEN : [step];
}

function waitOf(
  observation: Observation,
  { record, step, boot = [] }: Pick<Wait, 'record' | 'step'> & { readonly boot?: readonly StagedRecord[] },
): Wait {
  const { nowMs, limitMs, down } = observation;
  const sinceMs = record.atMs;
  const usual = stepsUntilSeen(observation, step).reduce((sum, one) => sum + limitMs(one), 0);
  const limit = Math.max(usual, paceLimitMs(boot, step));
  const deafMs = down === undefined ? 0 : Math.max(0, down.untilMs - Math.max(down.fromMs, sinceMs));
  // Silence that was a finding before the server ended is one afterwards.
  const isOld = down !== undefined && down.fromMs - sinceMs >= limit;
  const dueMs = sinceMs + limit + (isOld ? 0 : deafMs);
  return { step, sinceMs, limitMs: limit, dueMs, isOverdue: nowMs >= dueMs, record };
}

/** The workflow of this boot has ended and was not retried, or the installed system has reported. */
export function isEnded(boot: readonly StagedRecord[]): boolean {
  const last = boot.findLast(({ event }) => DECIDES_END.includes(event));
  if (last === undefined) return false;
  return last.event === 'machine-ready' || TERMINAL.includes(String(last.details?.['to']));
}

const DECIDES_END: readonly string[] = [
  'machine-ready',
  'state-changed',
  'operator-retry',
  'action-served',
  'action-served-again',
];

/** Returns the indices of the records of progress that are no repetition. Firmware repeats its requests for minutes. */
export function noveltiesOf(boot: readonly StagedRecord[]): readonly number[] {
  const seen = new Set<string>();
  const novel: number[] = [];
  boot.forEach((record, at) => {
    if (meaningOf(record.event).kind !== 'progress' || record.source === 'bmc') return;
    const key = noveltyOf(record);
    if (key !== undefined && seen.has(key)) return;
    if (key !== undefined) seen.add(key);
    novel.push(at);
  });
  return novel;
}

/** Returns the key that repetitions share, or undefined if every record is new. */
function noveltyOf({ event, source, details = {} }: StagedRecord): string | undefined {
  if (source === 'dhcp') return `${event} ${details['client']} ${details['file']}`;
  if (['file-sent', 'binary-sent', 'transfer-started'].includes(event))
    return `${event} ${details['file'] ?? details['path']} ${details['offset'] ?? 0}`;
  if (['message-received', 'metadata-served', 'script-served'].includes(event)) return event;
  return undefined;
}

/** Higher numbers are later in a boot. A problem is open until the machine gets as far as the step in which it occurred. */
function rankOf({ source, event, stage }: StagedRecord): number {
  if (source === 'dhcp') return stage === 'in-memory OS' ? 4 : 0;
  if (source === 'tftp' || event === 'binary-sent' || event.startsWith('file-')) return 1;
  if (event.startsWith('script-')) return 2;
  if (source === 'image' || event.startsWith('iso-')) return stage === 'workflow actions' ? 5 : 3;
  if (source === 'syslog' || event.startsWith('metadata-')) return 4;
  return 5;
}

/** An offer overcomes nothing: a machine that is ignored, or that chooses another server, gets one each time it asks. */
const OFFERS: readonly string[] = ['offer-sent', 'advertise-sent'];

function openTroubles(boot: readonly StagedRecord[]): readonly StagedRecord[] {
  let reached = -1;
  const open: StagedRecord[] = [];
  for (const record of boot.toReversed()) {
    const { kind } = meaningOf(record.event);
    if (kind === 'trouble' && isReal(record) && rankOf(record) > reached) open.push(record);
    if (isSuccess(record)) break;
    const isProgress = kind === 'progress' && record.source !== 'bmc' && !OFFERS.includes(record.event);
    if (isProgress) reached = Math.max(reached, rankOf(record));
  }
  return open.toReversed();
}

/** What was before has not prevented it. */
function isSuccess({ event, details }: StagedRecord): boolean {
  return event === 'machine-ready' || (event === 'state-changed' && details?.['to'] === 'SUCCESS');
}

/** Some packets are ignored for harmless reasons, and an agent is refused when its workflow has ended. */
function isReal({ source, event, details }: StagedRecord): boolean {
  if (event === 'agent-refused' && details?.['reason'] === 'ended') return false;
  const advice = adviceOn(details?.['reason']);
  return source !== 'bmc' && (advice === undefined || advice.next !== undefined);
}
