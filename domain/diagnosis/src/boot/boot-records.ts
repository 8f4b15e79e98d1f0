/** Splits the timeline of a machine into boots. */
import type { TimelineRecord } from '../timeline-record.ts';
import { meaningOf, stages, type Stage } from './event-table.ts';

export interface StagedRecord extends TimelineRecord {
  readonly stage: Stage;
}

/** Pause that separates boots. A machine whose requests are ignored is recorded once a minute. */
const PAUSE_MS = 150_000;

interface Position {
  readonly stage: Stage;
  readonly lastMs: number;
  readonly hasScript: boolean;
  readonly hasAgent: boolean;
}

/**
 * Returns the boots in order, each from its first packet. A boot starts when firmware requests an address after a pause, after its
 * script was sent (an iPXE: after its kernel), or after an agent or a workflow was active. Records before the first packet belong to no boot.
 */
export function bootsIn(records: readonly TimelineRecord[]): readonly (readonly StagedRecord[])[] {
  const boots: StagedRecord[][] = [];
  let position: Position | undefined;
  for (const record of records) {
    if (begins(record, position)) {
      boots.push([]);
      position = { stage: 'firmware', lastMs: record.atMs, hasScript: false, hasAgent: false };
    }
    if (position === undefined) continue;
    const stage = stageOf(record, position);
    boots.at(-1)?.push({ ...record, stage });
    position = {
      stage: later(position.stage, stage),
      lastMs: record.atMs,
      hasScript: position.hasScript || record.event === 'script-served',
      hasAgent: position.hasAgent || isAgentAtWork(record),
    };
  }
  return boots;
}

/** True for a record with which a timeline's first boot begins, when no such record precedes it. */
export function mayBeginFirst({ source }: TimelineRecord): boolean {
  return source === 'dhcp' || source === 'tftp' || source === 'http' || source === 'image';
}

function begins(record: TimelineRecord, position: Position | undefined): boolean {
  if (position === undefined) return mayBeginFirst(record);
  const isPause = record.atMs - position.lastMs >= PAUSE_MS;
  if (record.event === 'iso-started') return isPause || position.hasAgent;
  if (!isDiscover(record)) return false;
  const client = String(record.details?.['client'] ?? '');
  const isFirmware = /firmware|UEFI HTTP/.test(client);
  // An iPXE in a ROM is the firmware. It asks before its script, and never after its kernel.
  const isRom = client.startsWith('iPXE') && position.stage === 'kernel and initramfs';
  return isPause || position.hasAgent || (isFirmware && position.hasScript) || isRom;
}

/** True for a DISCOVER or Solicit, answered or not. */
function isDiscover({ source, event, details }: TimelineRecord): boolean {
  if (source !== 'dhcp') return false;
  if (event === 'offer-sent' || event === 'advertise-sent') return true;
  return event === 'request-ignored' && (details?.['type'] === 'discover' || details?.['version'] === 6);
}

function isAgentAtWork({ source, event, details }: TimelineRecord): boolean {
  if (source === 'agent') return true;
  return (
    event === 'state-changed' && ['RUNNING', 'SUCCESS', 'FAILED', 'TIMEOUT'].includes(String(details?.['to']))
  );
}

function stageOf(record: TimelineRecord, { stage, hasScript, hasAgent }: Position): Stage {
  if (record.source === 'dhcp') return dhcpStage(record, { stage, hasScript });
  // An action that writes an image to the disk loads it from the same path.
  if (record.source === 'image' && hasAgent) return 'workflow actions';
  return meaningOf(record.event).stage ?? stage;
}

function dhcpStage(
  { details }: TimelineRecord,
  { stage, hasScript }: Pick<Position, 'stage' | 'hasScript'>,
): Stage {
  const client = String(details?.['client'] ?? '');
  if (client.startsWith('iPXE')) return 'boot loader';
  if (client === 'an operating system' && hasScript) return later(stage, 'in-memory OS');
  return stage;
}

function later(first: Stage, second: Stage): Stage {
  return stages.indexOf(first) > stages.indexOf(second) ? first : second;
}
