/** Groups the records of a boot into steps. A transfer or an action is one line. Repetitions are counted. */
import type { TimelineRecord } from '../timeline-record.ts';
import type { StagedRecord } from './boot-records.ts';
import { meaningOf, stages, type Stage } from './event-table.ts';
import { adviceOn } from './reason-advice.ts';

export interface BootStep {
  readonly stage: Stage;
  /** Time since the first packet. */
  readonly atMs: number;
  readonly durationMs: number | undefined;
  readonly bytes: number | undefined;
  readonly bytesPerSecond: number | undefined;
  readonly event: string;
  /** The message of the last record of the step. */
  readonly message: string;
  readonly count: number;
  /** Why the packet was ignored, as a sentence. */
  readonly why: string | undefined;
}

/** The steps in the order of their first records. */
export function stepsOf(boot: readonly StagedRecord[]): readonly BootStep[] {
  const startMs = boot[0]?.atMs ?? 0;
  const groups = Map.groupBy(
    boot.map((record, index) => ({ record, index })),
    ({ record, index }) => keyOf(record) ?? `one ${index}`,
  );
  return [...groups.values()].map((group) =>
    stepOf(
      group.map(({ record }) => record),
      startMs,
    ),
  );
}

/** Returns the key that the records of one step share, or undefined for a step of its own. */
function keyOf({ event, source, details = {} }: TimelineRecord): string | undefined {
  if (event.startsWith('transfer-') && source === 'image')
    return `transfer ${details['path']} ${details['offset']}`;
  if (event.startsWith('action-'))
    return `action ${details['task']} ${details['action']} ${details['attempt'] ?? 1}`;
  if (event === 'file-moved') return `file ${details['file']}`;
  if (event.startsWith('iso-')) return 'iso';
  if (event === 'request-ignored') return `ignored ${details['reason']} ${details['type']}`;
  if (event === 'message-received') return 'syslog';
  return undefined;
}

function stepOf(records: readonly StagedRecord[], startMs: number): BootStep {
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) throw new Error('a step has no record');
  const { stage, event, message, source } = { ...last, stage: first.stage };
  const { beganMs, ...amounts } = amountsOf(records, first, last);
  const isOne = event.startsWith('action-') || source === 'image';
  return {
    stage,
    atMs: Math.max(0, beganMs - startMs),
    ...amounts,
    event,
    message,
    count: isOne ? 1 : records.length,
    why: whyOf(last),
  };
}

function amountsOf(records: readonly StagedRecord[], first: StagedRecord, last: StagedRecord) {
  const { sentBytes, bytes: allBytes, milliseconds, bytesPerSecond } = last.details ?? {};
  const bytes = numberIn(sentBytes) ?? numberIn(allBytes);
  const reportedMs = numberIn(milliseconds);
  const durationMs = reportedMs ?? (records.length > 1 ? last.atMs - first.atMs : undefined);
  return {
    // A transfer is recorded when it ends.
    beganMs: records.length === 1 && reportedMs !== undefined ? last.atMs - reportedMs : first.atMs,
    durationMs,
    bytes,
    bytesPerSecond: numberIn(bytesPerSecond) ?? rateOf(bytes, durationMs),
  };
}

function rateOf(bytes: number | undefined, durationMs: number | undefined): number | undefined {
  return bytes === undefined || !durationMs ? undefined : Math.round((1000 * bytes) / durationMs);
}

function whyOf({ event, details }: StagedRecord): string | undefined {
  if (meaningOf(event).kind !== 'trouble') return undefined;
  return adviceOn(details?.['reason'] ?? details?.['outcome'])?.meaning;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Returns the time from the first record of each stage to the first record of the next stage that the machine reached. */
export function stageTimes(
  boot: readonly StagedRecord[],
): readonly { readonly stage: Stage; readonly atMs: number; readonly durationMs: number }[] {
  const startMs = boot[0]?.atMs ?? 0;
  const endMs = boot.at(-1)?.atMs ?? 0;
  const begun: { stage: Stage; atMs: number }[] = [];
  for (const { stage, atMs } of boot) {
    const before = begun.at(-1);
    if (before === undefined || stages.indexOf(stage) > stages.indexOf(before.stage))
      begun.push({ stage, atMs });
  }
  return begun.map(({ stage, atMs }, index) => ({
    stage,
    atMs: atMs - startMs,
    durationMs: (begun[index + 1]?.atMs ?? endMs) - atMs,
  }));
}
