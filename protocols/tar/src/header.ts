/** The 512 bytes before each entry: POSIX.1-2017 "ustar Interchange Format", and GNU's variant. */
import { fieldString } from './byte-string.ts';
import { TarError } from './tar-error.ts';

export const BLOCK_BYTES = 512;
/** The length of the fields for the name and the link name. */
export const NAME_BYTES = 100;

export type TarType =
  | 'file'
  | 'hard-link'
  | 'symbolic-link'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo';

/** What the header describes: an entry, or data for the entry that follows. */
export type HeaderKind = TarType | 'pax' | 'pax-global' | 'gnu-long-name' | 'gnu-long-link' | 'gnu-sparse';

export interface TarHeader {
  readonly kind: HeaderKind;
  /** A byte string. */
  readonly name: string;
  readonly linkName: string;
  /** Permissions with setuid, setgid and sticky. */
  readonly mode: number;
  readonly userId: number;
  readonly groupId: number;
  /** Bytes of the body in the stream. */
  readonly size: number;
  /** Seconds since the Unix epoch. */
  readonly modifiedSeconds: number;
  readonly deviceMajor: number;
  readonly deviceMinor: number;
}

const KINDS: Readonly<Record<string, HeaderKind>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'hard-link',
  '2': 'symbolic-link',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
  '7': 'file',
  x: 'pax',
  g: 'pax-global',
  L: 'gnu-long-name',
  K: 'gnu-long-link',
  S: 'gnu-sparse',
};

const MODE_MASK = 0o7777;
export const CHECKSUM_AT = 148;
export const CHECKSUM_BYTES = 8;
const SPACE = 0x20;

/** Returns undefined for a block of zeros, which ends an archive. Throws a TarError. */
export function decodeHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (numberIn(block.subarray(CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES), 'checksum') !== checksumOf(block))
    throw new TarError('the checksum of a header is wrong; the archive is damaged');
  const flag = String.fromCharCode(block[156] ?? 0);
  const kind = KINDS[flag];
  if (kind === undefined) throw new TarError(`the type ${JSON.stringify(flag)} of an entry is not supported`);
  return {
    kind,
    name: nameIn(block),
    linkName: fieldString(block.subarray(157, 257)),
    mode: numberIn(block.subarray(100, 108), 'mode') & MODE_MASK,
    userId: numberIn(block.subarray(108, 116), 'user id'),
    groupId: numberIn(block.subarray(116, 124), 'group id'),
    size: numberIn(block.subarray(124, 136), 'size'),
    modifiedSeconds: numberIn(block.subarray(136, 148), 'modification time'),
    deviceMajor: numberIn(block.subarray(329, 337), 'device'),
    deviceMinor: numberIn(block.subarray(337, 345), 'device'),
  };
}

/** Only POSIX headers have a prefix. GNU stores other fields there. */
function nameIn(block: Uint8Array): string {
  const name = fieldString(block.subarray(0, NAME_BYTES));
  const isPosix = fieldString(block.subarray(257, 263)) === 'ustar';
  const prefix = isPosix ? fieldString(block.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The sum of all bytes. Its own field counts as spaces. */
export function checksumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => {
    const isOwnField = at >= CHECKSUM_AT && at < CHECKSUM_AT + CHECKSUM_BYTES;
    return sum + (isOwnField ? SPACE : byte);
  }, 0);
}

/** An octal number, or GNU's big-endian number behind the byte 0x80 (0xff if it is negative). */
export function numberIn(bytes: Uint8Array, field: string): number {
  const first = bytes[0] ?? 0;
  if (first >= 0x80) return binaryNumber(bytes, field);
  const text = fieldString(bytes).trim();
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw new TarError(`the ${field} ${JSON.stringify(text)} is not octal`);
  return Number.parseInt(text, 8);
}

function binaryNumber(bytes: Uint8Array, field: string): number {
  const isNegative = bytes[0] === 0xff;
  let value = isNegative ? -1n : BigInt((bytes[0] ?? 0) & 0x7f);
  for (const byte of bytes.subarray(1)) value = value * 256n + BigInt(byte);
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new TarError(`the ${field} is larger than 2^53`);
}
