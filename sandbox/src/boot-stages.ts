/**
 * Splits one boot of one machine into stages, from the server's timeline and the machine's serial port, in
 * any order of arrival. Every moment is in milliseconds since the Unix epoch.
 */
import type { TimelineRecord } from './api-client.ts';

export type Moment =
  | 'powerOn'
  | 'firstDhcp'
  | 'scriptServed'
  | 'systemLoaded'
  | 'agentReady'
  | 'workflowEnded'
  | 'localBoot'
  | 'login';

export interface ActionTime {
  readonly name: string;
  readonly startedMs: number;
  readonly endedMs?: number;
}

export interface BootProgress {
  readonly moments: Readonly<Partial<Record<Moment, number>>>;
  readonly actions: readonly ActionTime[];
  /** The workflow's state. Empty until it is known. */
  readonly state: string;
}

export const powerOnAt = (atMs: number): BootProgress => ({
  moments: { powerOn: atMs },
  actions: [],
  state: '',
});

const TERMINAL_STATES = ['SUCCESS', 'FAILED', 'TIMEOUT'];

/** The meaning of timeline records for the progress. Records without an entry mean nothing. */
const MEANINGS: Readonly<Record<string, (progress: BootProgress, record: TimelineRecord) => BootProgress>> = {
  'dhcp/offer-sent': (progress, { atMs }) => at(progress, 'firstDhcp', atMs),
  'http/script-served': (progress, { atMs, details }) =>
    at(progress, details?.['outcome'] === 'local-boot' ? 'localBoot' : 'scriptServed', atMs),
  'image/transfer-completed': (progress, { atMs, details }) =>
    String(details?.['path']).startsWith('initramfs') ? at(progress, 'systemLoaded', atMs) : progress,
  'agent/action-served': withActionStart,
  'agent/action-succeeded': withActionEnd,
  'agent/action-failed': withActionEnd,
  'agent/action-timed-out': withActionEnd,
  'workflow/state-changed': withState,
};

/** Returns the progress after a record of the server's timeline. */
export function withRecord(progress: BootProgress, record: TimelineRecord): BootProgress {
  return MEANINGS[`${record.source}/${record.event}`]?.(progress, record) ?? progress;
}

function withActionStart(progress: BootProgress, { atMs, details }: TimelineRecord): BootProgress {
  const name = String(details?.['action'] ?? '');
  const known = progress.actions.some((action) => action.name === name);
  const actions = known ? progress.actions : [...progress.actions, { name, startedMs: atMs }];
  return { ...at(progress, 'agentReady', atMs), actions };
}

function withActionEnd(progress: BootProgress, { atMs, details }: TimelineRecord): BootProgress {
  const name = String(details?.['action'] ?? '');
  const ended = (action: ActionTime): ActionTime =>
    action.name === name ? { ...action, endedMs: atMs } : action;
  return { ...progress, actions: progress.actions.map(ended) };
}

function withState(progress: BootProgress, { atMs, details }: TimelineRecord): BootProgress {
  const next = { ...progress, state: String(details?.['to'] ?? '') };
  return TERMINAL_STATES.includes(next.state) ? at(next, 'workflowEnded', atMs) : next;
}

/** Returns the progress after a line of the serial port. */
export function withSerialLine(progress: BootProgress, line: string, atMs: number): BootProgress {
  return line.endsWith(' login:') ? at(progress, 'login', atMs) : progress;
}

/** The first of its kind counts, because a machine that boots again does not start over. */
function at(progress: BootProgress, moment: Moment, atMs: number): BootProgress {
  if (progress.moments[moment] !== undefined) return progress;
  return { ...progress, moments: { ...progress.moments, [moment]: atMs } };
}

/** The stages in order, each from the end of the previous one. */
const STAGES: readonly (readonly [name: string, until: Moment])[] = [
  ['firmware', 'firstDhcp'],
  ['bootLoader', 'scriptServed'],
  ['download', 'systemLoaded'],
  ['inMemoryOs', 'agentReady'],
  ['actions', 'workflowEnded'],
  ['restart', 'localBoot'],
  ['operatingSystem', 'login'],
];

/** Returns the seconds of every stage that has ended, and `total` from power-on to the last of them. */
export function stageSeconds(progress: BootProgress): Readonly<Record<string, number>> {
  const stages: Record<string, number> = {};
  const start = progress.moments.powerOn ?? 0;
  let before = start;
  for (const [name, until] of STAGES) {
    const end = progress.moments[until];
    // A disk that boots without the network has no script of ours.
    if (end === undefined) continue;
    stages[name] = seconds(end - before);
    before = end;
  }
  return { ...stages, total: seconds(before - start) };
}

export function actionSeconds(progress: BootProgress): readonly { name: string; seconds: number }[] {
  return progress.actions.flatMap(({ name, startedMs, endedMs }) =>
    endedMs === undefined ? [] : [{ name, seconds: seconds(endedMs - startedMs) }],
  );
}

function seconds(milliseconds: number): number {
  return Math.round(Math.max(0, milliseconds) / 10) / 100;
}
