/** The result of a fleet, and its text. */
import { STEPS, type FailedMachine, type FleetRecord, type Step } from './fleet-record.ts';
import type { FleetOptions } from './fleet-options.ts';
import type { Difference } from './recording.ts';
import type { ServerUsage } from './server-usage.ts';

export interface StepTimes {
  readonly step: Step;
  readonly count: number;
  readonly medianMs: number;
  /** 99 of 100 are done in this time. */
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface FleetReport {
  readonly seed: number;
  readonly machines: number;
  /** Machines that started from their disk after their Workflow had succeeded. */
  readonly provisioned: number;
  /** In the order in which they failed. */
  readonly failed: readonly FailedMachine[];
  /** What the server must never do and did. */
  readonly broken: readonly string[];
  readonly crashes: number;
  /** Ends of actions that the server acknowledged. */
  readonly results: number;
  /** From the first machine's start to the last machine's end. */
  readonly seconds: number;
  readonly registerSeconds: number;
  readonly steps: readonly StepTimes[];
  /** Absent: the server does not report it. */
  readonly server?: {
    /** Before the objects were created, and the most that was seen. */
    readonly residentBytesBefore: number;
    readonly residentBytesMax: number;
    /** While machines were on. */
    readonly processorSeconds: number;
  };
  /** What this process took itself, to know when it limits the result. */
  readonly simulator: { readonly residentBytesMax: number; readonly processorSeconds: number };
  /** Of a replay: machines that got other answers than in the recording. */
  readonly differences?: readonly Difference[];
}

export function isHeld({ provisioned, machines, broken, differences = [] }: FleetReport): boolean {
  return provisioned === machines && broken.length === 0 && differences.length === 0;
}

export function stepTimes(record: FleetRecord): readonly StepTimes[] {
  return STEPS.flatMap((step): StepTimes[] => {
    const sorted = record.durationsMs(step).toSorted((one, other) => one - other);
    if (sorted.length === 0) return [];
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return [{ step, count: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), maxMs: at(1) }];
  });
}

export function usageReport(
  before: ServerUsage | undefined,
  start: ServerUsage | undefined,
  { seen, end }: { readonly seen: readonly ServerUsage[]; readonly end: ServerUsage | undefined },
): FleetReport['server'] {
  if (before === undefined || start === undefined || end === undefined) return undefined;
  return {
    residentBytesBefore: before.residentBytes,
    residentBytesMax: Math.max(...[before, start, ...seen, end].map(({ residentBytes }) => residentBytes)),
    processorSeconds: end.processorSeconds - start.processorSeconds,
  };
}

const FAILURES_SHOWN = 10;

export function reportText(report: FleetReport): string {
  const { provisioned, machines, seconds, failed, crashes } = report;
  const perSecond = (provisioned / Math.max(seconds, 0.001)).toFixed(1);
  return [
    ...failureLines(report),
    ...(report.steps.length === 0
      ? []
      : [row(['step', 'times', 'median', '99 of 100', 'longest']), ...report.steps.map(stepRow)]),
    '',
    ...serverLines(report),
    ...heldLines(report),
    ...differenceLines(report),
    `${provisioned} of ${machines} machines provisioned in ${seconds.toFixed(1)} s (${perSecond} per second), ${failed.length} failed, ${crashes} lost power`,
    '',
  ].join('\n');
}

function failureLines({ failed }: FleetReport): readonly string[] {
  const [first, ...others] = failed;
  if (first === undefined) return [];
  const shown = others.slice(0, FAILURES_SHOWN - 1);
  const rest = others.length - shown.length;
  return [
    `first failure: ${failureText(first)}`,
    ...shown.map((one) => `               ${failureText(one)}`),
    ...(rest === 0 ? [] : [`               and ${rest} more`]),
    ...[...countsOf(failed)].map(([step, count]) => `${count} failed at ${step}`),
    '',
  ];
}

function failureText({ name, mac, step, reason, workflow }: FailedMachine): string {
  const state = workflow === undefined ? '' : `; its Workflow is ${workflow}`;
  return `${name} (${mac}) at ${step}: ${reason}${state}`;
}

function countsOf(failed: readonly FailedMachine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { step } of failed) counts.set(step, (counts.get(step) ?? 0) + 1);
  return counts;
}

function stepRow({ step, count, medianMs, p99Ms, maxMs }: StepTimes): string {
  return row([step, String(count), ...[medianMs, p99Ms, maxMs].map(timeText)]);
}

function row([name = '', ...cells]: readonly string[]): string {
  return `${name.padEnd(14)}${cells.map((cell) => cell.padStart(11)).join('')}`;
}

function timeText(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

function serverLines({ server, simulator, machines }: FleetReport): readonly string[] {
  const own = `the simulation itself: ${megabytes(simulator.residentBytesMax)} MB at most, ${simulator.processorSeconds.toFixed(1)} s of processor time`;
  if (server === undefined) return [own];
  const { residentBytesBefore: before, residentBytesMax: most, processorSeconds } = server;
  const perMachine = ((most - before) / machines / 1024).toFixed(1);
  const memory = `${megabytes(before)} MB before, ${megabytes(most)} MB at most: ${perMachine} KiB per machine`;
  return [
    `memory of the server: ${memory}`,
    `processor time of the server: ${processorSeconds.toFixed(1)} s, ${((1000 * processorSeconds) / machines).toFixed(1)} ms per machine`,
    own,
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function heldLines({ broken, results }: FleetReport): readonly string[] {
  if (broken.length > 0) return broken.map((text) => `did not hold: ${text}`);
  return [`held: no address twice, no action again after its acknowledged end (${results} acknowledged)`];
}

function differenceLines({ differences }: FleetReport): readonly string[] {
  if (differences === undefined) return [];
  if (differences.length === 0) return ['every machine got the answers of the recording'];
  const shown = differences.slice(0, FAILURES_SHOWN).map(({ machine, missing, added }) => {
    const parts = [...missing.map((text) => `no longer ${text}`), ...added.map((text) => `new: ${text}`)];
    return `  ${machine}: ${parts.join('; ')}`;
  });
  return [`${differences.length} machines got other answers than in the recording:`, ...shown];
}

/** The line that is printed while machines boot. */
export function progressText(
  record: FleetRecord,
  { machines, seconds }: Pick<FleetOptions, 'machines'> & { readonly seconds: number },
): string {
  const on = [
    ['DHCP', record.inPhase('firmware-dhcp') + record.inPhase('loader-dhcp')],
    ['TFTP', record.inPhase('firmware-tftp')],
    ['script', record.inPhase('loader-script')],
    ['agent', record.inPhase('agent')],
  ] as const;
  const steps = on.map(([name, count]) => `${count} ${name}`).join(', ');
  const perSecond = (record.atDisk / Math.max(seconds, 1)).toFixed(1);
  return `${seconds.toFixed(0)} s: ${record.atDisk} of ${machines} done (${perSecond} per second), ${record.failed.length} failed; ${steps}`;
}
