import {
  readDevices,
  readEnvironment,
  type Environment,
  type EnvironmentReader,
} from '@tinkerbell/action-kit';

/** The fewest devices of each level: md(4). */
const DEVICES_MIN = { '0': 2, '1': 2, '5': 3, '6': 4, '10': 2 } as const;
export type RaidLevel = keyof typeof DEVICES_MIN;
const LEVELS: readonly RaidLevel[] = ['0', '1', '5', '6', '10'];

export interface Settings {
  /** `/dev/md0` or `/dev/md/root`. */
  readonly array: string;
  readonly level: RaidLevel;
  /** With the spares at the end. */
  readonly devices: readonly string[];
  readonly spares: number;
  /** Of the members: 1.2 at their start, 1.0 at their end, where firmware sees a plain file system. */
  readonly metadata: '1.0' | '1.2';
  readonly chunkKib: number | undefined;
  readonly wipe: boolean;
}

const ARRAY = /^\/dev\/md(?:\d{1,3}|\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})$/;
const CHUNK_KIB_MIN = 4;
const CHUNK_KIB_MAX = 1024 * 1024;
const SPARES_MAX = 64;

/** @throws ActionError that lists every problem. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('mdraid', environment);
  const array = read.required('ARRAY', 'the new device, for example /dev/md0 or /dev/md/root');
  if (array !== '' && !ARRAY.test(array))
    read.problem(`ARRAY=${array} must be like /dev/md0 or /dev/md/root`);
  const level = readLevel(read);
  const devices = readDevices(read, 'DEVICES', 'the disks or partitions, for example /dev/sda2,/dev/sdb2');
  const spares = read.integer('SPARES', { minimum: 0, maximum: SPARES_MAX, fallback: 0 });
  const members = devices.length - spares;
  if (devices.length > 0 && members < DEVICES_MIN[level])
    read.problem(
      `LEVEL=${level} needs at least ${DEVICES_MIN[level]} DEVICES besides the SPARES, not ${members}`,
    );
  if (level === '0' && spares > 0) read.problem('LEVEL=0 has no SPARES');
  const settings = {
    array,
    level,
    devices,
    spares,
    metadata: readMetadata(read),
    chunkKib: readChunk(read, level),
    wipe: read.flag('WIPE', false),
  };
  read.finish();
  return settings;
}

function readLevel(read: EnvironmentReader): RaidLevel {
  const wanted = read.required('LEVEL', '0, 1, 5, 6 or 10').replace(/^raid/i, '');
  const level = LEVELS.find((one) => one === wanted);
  if (wanted !== '' && level === undefined) read.problem(`LEVEL=${wanted} must be 0, 1, 5, 6 or 10`);
  return level ?? '1';
}

function readMetadata(read: EnvironmentReader): Settings['metadata'] {
  const wanted = read.optional('METADATA') ?? '1.2';
  if (wanted === '1.0' || wanted === '1.2') return wanted;
  read.problem(`METADATA=${wanted} must be 1.0 or 1.2`);
  return '1.2';
}

function readChunk(read: EnvironmentReader, level: RaidLevel): number | undefined {
  const chunkKib = read.integer('CHUNK_KIB', { minimum: 0, maximum: CHUNK_KIB_MAX, fallback: 0 });
  if (chunkKib === 0) return undefined;
  if (chunkKib < CHUNK_KIB_MIN || !Number.isInteger(Math.log2(chunkKib)))
    read.problem(`CHUNK_KIB=${chunkKib} must be a power of two from ${CHUNK_KIB_MIN}`);
  if (level === '1') read.problem('LEVEL=1 has no CHUNK_KIB');
  return chunkKib;
}
