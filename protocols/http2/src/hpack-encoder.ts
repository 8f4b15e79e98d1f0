/**
 * Encodes header blocks without a dynamic table and without the Huffman code (RFC 7541): a block is then the same for every
 * connection, and can be kept.
 */
import type { Allocate } from './frame-output.ts';
import type { Fields } from './message-fields.ts';
import { STATIC_COUNT, staticNames, staticValues } from './static-table.ts';

/** What a field takes besides its texts: two lengths, and an index or a first byte. */
const FIELD_BYTES_MAX = 12;

/** The first entry of each name. */
const indexOfName = new Map<string, number>();
/** Entries with a value, by name and value. */
const indexOfField = new Map<string, ReadonlyMap<string, number>>();
for (let index = STATIC_COUNT; index >= 1; index--) {
  const [name = '', value = ''] = [staticNames[index], staticValues[index]];
  indexOfName.set(name, index);
  if (value !== '') indexOfField.set(name, new Map([...(indexOfField.get(name) ?? []), [value, index]]));
}

/** Names are in lower case. A character of a value is one byte. */
export function encodeFields(fields: readonly (readonly [name: string, value: string])[]): Uint8Array {
  return encodeList(fields.flat(), (bytes) => new Uint8Array(bytes));
}

/** The same for names and values by turns. The block is in memory of `allocate`. */
export function encodeList(fields: Fields, allocate: Allocate): Uint8Array {
  let size = 0;
  for (const text of fields) size += text.length + FIELD_BYTES_MAX / 2;
  const bytes = allocate(size);
  let at = 0;
  for (let index = 0; index < fields.length; index += 2)
    at = putField(bytes, at, [fields[index] ?? '', fields[index + 1] ?? '']);
  return bytes.subarray(0, at);
}

function putField(bytes: Uint8Array, start: number, [name, value]: readonly [string, string]): number {
  const field = indexOfField.get(name)?.get(value);
  if (field !== undefined) return putInteger(bytes, start, { first: 0x80, prefixBits: 7, value: field });
  const known = indexOfName.get(name) ?? 0;
  let at = putInteger(bytes, start, { first: 0, prefixBits: 4, value: known });
  if (known === 0) at = putText(bytes, at, name);
  return putText(bytes, at, value);
}

function putText(bytes: Uint8Array, start: number, text: string): number {
  const at = putInteger(bytes, start, { first: 0, prefixBits: 7, value: text.length });
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}

interface PrefixedInteger {
  /** The other bits of the first byte. */
  readonly first: number;
  readonly prefixBits: number;
  readonly value: number;
}

/** Section 5.1. The functions of this file return where the next byte belongs. */
export function putInteger(
  bytes: Uint8Array,
  at: number,
  { first, prefixBits, value }: PrefixedInteger,
): number {
  const mask = (1 << prefixBits) - 1;
  if (value < mask) {
    bytes[at] = first | value;
    return at + 1;
  }
  bytes[at] = first | mask;
  let end = at + 1;
  let rest = value - mask;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes[end] = (rest & 0x7f) | 0x80;
    end += 1;
  }
  bytes[end] = rest;
  return end + 1;
}
