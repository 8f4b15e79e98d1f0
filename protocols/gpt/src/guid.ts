/**
 * GUIDs as text and as bytes. The first three groups are little-endian on disk, and the last two are not (UEFI 2.10 appendix
 * A).
 */
import { bytesToHex, hexToBytes } from '@tinkerbell/wire';

import { PartitionTableError } from './table-error.ts';

/** Lower-case: `c12a7328-f81f-11d2-ba4b-00a0c93ec93b`. */
export type Guid = `${string}-${string}-${string}-${string}-${string}`;

export const GUID_BYTES = 16;
export const NO_GUID: Guid = '00000000-0000-0000-0000-000000000000';

const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The position on disk of each byte of the text. */
const ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] as const;

export function isGuid(text: string): text is Guid {
  return PATTERN.test(text);
}

/** Accepts both cases. Throws a `PartitionTableError` that names `field`. */
export function readGuid(text: string, field: string): Guid {
  const lower = text.toLowerCase();
  if (isGuid(lower)) return lower;
  throw new PartitionTableError(field, `"${text.slice(0, 100)}" is not a GUID such as ${NO_GUID}`);
}

export function guidToBytes(guid: Guid): Uint8Array {
  const text = hexToBytes(guid.replaceAll('-', '')) ?? new Uint8Array(GUID_BYTES);
  return Uint8Array.from(ORDER, (at) => text[at] ?? 0);
}

/** Reads 16 bytes at `offset`. */
export function guidFromBytes(bytes: Uint8Array, offset = 0): Guid {
  const hex = bytesToHex(Uint8Array.from(ORDER, (at) => bytes[offset + at] ?? 0));
  const [a, b, c] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16)];
  return `${a}-${b}-${c}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
