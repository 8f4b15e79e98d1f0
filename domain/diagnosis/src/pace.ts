/**
 * The pace of a machine in this boot. A machine that needed long to load its operating system also needs long to start it: it is slow, or
 * emulated on a busy host. Its own earlier steps are known before its silence must be judged.
 */
import type { StagedRecord } from './boot/boot-records.ts';
import { isOfSystem, isSystemFile, type StepName } from './steps.ts';

/**
 * Under emulation, the start of the in-memory OS took 1 to 5 times as long as its transfer, and the start of its agent a third to a half of that.
 */
const SYSTEM_FACTOR = 6;
const AGENT_FACTOR = 1.5;
const MARGIN_MS = 10_000;
/** A slow line between the machine and the server says nothing about the machine. */
const LIMIT_MS_MAX = 300_000;

/** Returns for how long silence in the step is normal for a machine of this pace, in milliseconds. 0: its pace says nothing. */
export function paceLimitMs(boot: readonly StagedRecord[], step: StepName): number {
  if (step === 'system') return limitOf(loadMs(boot), SYSTEM_FACTOR);
  return step === 'agent' ? limitOf(startMs(boot), AGENT_FACTOR) : 0;
}

function limitOf(earlierMs: number, factor: number): number {
  return earlierMs === 0 ? 0 : Math.min(Math.round(earlierMs * factor) + MARGIN_MS, LIMIT_MS_MAX);
}

/** From the beginning of the first file of the operating system to the end of the last one. */
function loadMs(boot: readonly StagedRecord[]): number {
  const loads = boot.filter(isLoad);
  const [first, last] = [loads[0], loads.at(-1)];
  return first === undefined || last === undefined ? 0 : Math.max(last.atMs - beginningOf(first), 0);
}

/** From then to the first packet of the operating system. */
function startMs(boot: readonly StagedRecord[]): number {
  const loaded = boot.findLast(isLoad);
  if (loaded === undefined) return 0;
  const heard = boot.find(
    (record) => record.sequence > loaded.sequence && (isOfSystem(record) || record.source === 'syslog'),
  );
  return heard === undefined ? 0 : heard.atMs - loaded.atMs;
}

const TRANSFERS: readonly string[] = ['transfer-started', 'transfer-completed', 'iso-started', 'iso-sent'];

function isLoad(record: StagedRecord): boolean {
  if (record.event === 'file-sent') return isSystemFile(record);
  return record.stage !== 'workflow actions' && TRANSFERS.includes(record.event);
}

/** TFTP reports a file at its end. */
function beginningOf({ atMs, event, details }: StagedRecord): number {
  return event === 'file-sent' ? atMs - Number(details?.['milliseconds'] ?? 0) : atMs;
}
