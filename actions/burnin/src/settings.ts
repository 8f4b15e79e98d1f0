import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export interface Settings {
  readonly durationSeconds: number;
  /** Of the processors. */
  readonly cpuPercent: number;
  /** Of the memory that is free when the action starts. */
  readonly memoryPercent: number;
  /** Undefined: all disks. */
  readonly disks: readonly string[] | undefined;
  /** Overwrites the disks. */
  readonly isDestructive: boolean;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };
/** A week. */
const DURATION_MAX_SECONDS = 7 * 24 * 3600;
const DISKS_MAX = 256;

export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('burnin', environment);
  const text = read.required('DURATION', 'the time, such as 90s, 10m or 2h');
  const durationSeconds = durationIn(text);
  if (text !== '' && durationSeconds === undefined)
    read.problem(`DURATION=${text.slice(0, 50)} must be a time up to a week, such as 90s, 10m or 2h`);
  const cpuPercent = read.integer('CPU_PERCENT', { minimum: 1, maximum: 100, fallback: 100 });
  const memoryPercent = read.integer('MEMORY_PERCENT', { minimum: 1, maximum: 90, fallback: 50 });
  const disks = disksIn(read.optional('DISKS'));
  const wrong = disks?.find((disk) => !disk.startsWith('/dev/'));
  if (wrong !== undefined)
    read.problem(`DISKS names ${wrong.slice(0, 100)}, which does not begin with /dev/`);
  if ((disks?.length ?? 0) > DISKS_MAX) read.problem(`DISKS has more than ${DISKS_MAX} disks`);
  const isDestructive = read.flag('DESTRUCTIVE', false);
  if (isDestructive && (disks === undefined || disks.length === 0))
    read.problem('DESTRUCTIVE=true needs DISKS: name the disks that may be overwritten');
  read.finish();
  return { durationSeconds: durationSeconds ?? 0, cpuPercent, memoryPercent, disks, isDestructive };
}

function durationIn(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,6})([smh]?)$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNIT_SECONDS[unit] ?? 1);
  return seconds > 0 && seconds <= DURATION_MAX_SECONDS ? seconds : undefined;
}

/** `none` reads no disk. */
function disksIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text === 'all') return undefined;
  if (text === 'none') return [];
  return text
    .split(',')
    .map((disk) => disk.trim())
    .filter((disk) => disk !== '');
}
