import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

import { ENVIRONMENT_BYTES_MAX, type Changes } from './uboot-environment.ts';

export interface Settings {
  readonly device: string;
  readonly fileSystem: string;
  /** Below the root of the file system. */
  readonly file: string;
  readonly changes: Changes;
  /** Of a file that does not exist yet. */
  readonly newSizeBytes: number;
}

const VARIABLES_MAX = 1000;
/** U-Boot's default for the Raspberry Pi (`CONFIG_ENV_SIZE`). */
const SIZE_DEFAULT_BYTES = 0x4000;
const SIZE_MIN_BYTES = 1024;

export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('ubootenv', environment);
  const device = read.absolutePath('DEST_DISK', 'the partition, for example /dev/mmcblk0p1');
  const fileSystem = read.required('FS_TYPE', 'its file system, for example vfat');
  const file = read.absolutePath('ENV_FILE', 'the file, for example /uboot.env');
  if (file.endsWith('/')) read.problem('ENV_FILE names a directory, not a file');
  const text = read.required('ENV_VARS', 'a JSON object such as {"bootdelay":"3"}');
  const newSizeBytes = read.integer('ENV_SIZE', {
    minimum: SIZE_MIN_BYTES,
    maximum: ENVIRONMENT_BYTES_MAX,
    fallback: SIZE_DEFAULT_BYTES,
  });
  const changes = text === '' ? new Map<string, string>() : changesIn(text);
  if (typeof changes === 'string') read.problem(`ENV_VARS ${changes}`);
  read.finish();
  return {
    device,
    fileSystem,
    file,
    changes: typeof changes === 'string' ? new Map() : changes,
    newSizeBytes,
  };
}

/** Returns the reason when the text is invalid. Names and values become byte strings. */
function changesIn(text: string): Changes | string {
  const parsed = parsedJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return 'must be a JSON object such as {"bootdelay":"3"}';
  const entries: readonly (readonly [string, unknown])[] = Object.entries(parsed);
  if (entries.length > VARIABLES_MAX)
    return `has ${entries.length} variables; at most ${VARIABLES_MAX} are allowed`;
  const changes = new Map<string, string | undefined>();
  for (const [name, value] of entries) {
    const problem = nameProblem(name) ?? valueProblem(name, value);
    if (problem !== undefined) return problem;
    const isRemoved = typeof value !== 'string' || value === '';
    changes.set(bytesOf(name), isRemoved ? undefined : bytesOf(value));
  }
  return changes;
}

function nameProblem(name: string): string | undefined {
  if (name !== '' && !name.includes('=') && !name.includes('\0')) return undefined;
  return `has the name ${shown(name)}, which must not be empty or contain "="`;
}

function valueProblem(name: string, value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return `has ${shown(name)}, whose value must be a string or null`;
  return value.includes('\0') ? `has ${shown(name)}, whose value contains a zero character` : undefined;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
