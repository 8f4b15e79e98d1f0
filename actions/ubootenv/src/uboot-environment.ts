/** U-Boot's environment as bytes: CRC-32, in redundant environments a flag, and `name=value` pairs that end with a zero. */
import { crc32 } from 'node:zlib';

export interface UbootEnvironment {
  readonly variables: ReadonlyMap<string, string>;
  /** Of the whole file. U-Boot reads exactly this many. */
  readonly sizeBytes: number;
  /** Counts the saves of a redundant environment. Undefined for one without a second copy. */
  readonly flag: number | undefined;
}

export type EnvironmentResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string };

const CRC_BYTES = 4;
/** Environments have 8 to 128 KiB. */
export const ENVIRONMENT_BYTES_MAX = 1024 * 1024;
const SIZE_MIN_BYTES = CRC_BYTES + 3;

export function decodeEnvironment(bytes: Buffer): EnvironmentResult<UbootEnvironment> {
  if (bytes.length < SIZE_MIN_BYTES || bytes.length > ENVIRONMENT_BYTES_MAX)
    return failed(`it has ${bytes.length} bytes, which no environment of U-Boot has`);
  const crc = bytes.readUInt32LE(0);
  const isSingle = crc === crc32(bytes.subarray(CRC_BYTES));
  const isRedundant = !isSingle && crc === crc32(bytes.subarray(CRC_BYTES + 1));
  if (!isSingle && !isRedundant) return failed('its checksum is wrong: it is damaged, or has another format');
  const variables = pairsIn(bytes.subarray(isSingle ? CRC_BYTES : CRC_BYTES + 1));
  if (variables === undefined) return failed('it has a variable without a value');
  const flag = isSingle ? undefined : bytes[CRC_BYTES];
  return { ok: true, value: { variables, sizeBytes: bytes.length, flag } };
}

/** Names and values are byte strings. An empty one ends the list. */
function pairsIn(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const variables = new Map<string, string>();
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const end = bytes.indexOf(0, at);
    const pair = bytes.subarray(at, end < 0 ? bytes.length : end).toString('latin1');
    const equals = pair.indexOf('=');
    if (equals < 1) return undefined;
    variables.set(pair.slice(0, equals), pair.slice(equals + 1));
    at += pair.length + 1;
  }
  return variables;
}

/** Variables are in the order of their names, as U-Boot saves them. */
export function encodeEnvironment(environment: UbootEnvironment): EnvironmentResult<Buffer> {
  const { variables, sizeBytes, flag } = environment;
  const pairs = [...variables].map(([name, value]) => `${name}=${value}\0`).sort();
  const text = Buffer.from(pairs.join(''), 'latin1');
  const start = flag === undefined ? CRC_BYTES : CRC_BYTES + 1;
  const room = sizeBytes - start - 1;
  if (text.length > room)
    return failed(`the variables need ${text.length} bytes, and the environment has room for ${room}`);
  const bytes = Buffer.alloc(sizeBytes);
  if (flag !== undefined) bytes[CRC_BYTES] = flag;
  text.copy(bytes, start);
  bytes.writeUInt32LE(crc32(bytes.subarray(start)));
  return { ok: true, value: bytes };
}

/** Undefined removes a variable, as `setenv` without a value. */
export type Changes = ReadonlyMap<string, string | undefined>;

export function changedEnvironment(environment: UbootEnvironment, changes: Changes): UbootEnvironment {
  const variables = new Map(environment.variables);
  for (const [name, value] of changes) {
    if (value === undefined) variables.delete(name);
    else variables.set(name, value);
  }
  return { ...environment, variables };
}

function failed(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error };
}
