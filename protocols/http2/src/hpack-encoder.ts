/**
 * Encodes header blocks without a dynamic table and without the Huffman code (RFC 7541): a block is then the same for every
 * connection, and can be kept.
 */
import { STATIC_COUNT, staticNames, staticValues } from './static-table.ts';

/** Names are in lower case. A character of a value is one byte. */
export function encodeFields(fields: readonly (readonly [name: string, value: string])[]): Uint8Array {
  const bytes: number[] = [];
  for (const [name, value] of fields) pushField(bytes, name, value);
  return Uint8Array.from(bytes);
}

function pushField(bytes: number[], name: string, value: string): void {
  let known = 0;
  for (let index = 1; index <= STATIC_COUNT; index++) {
    if (staticNames[index] !== name) continue;
    known ||= index;
    if (staticValues[index] !== value) continue;
    pushInteger(bytes, { first: 0x80, prefixBits: 7, value: index });
    return;
  }
  pushInteger(bytes, { first: 0, prefixBits: 4, value: known });
  if (known === 0) pushText(bytes, name);
  pushText(bytes, value);
}

function pushText(bytes: number[], text: string): void {
  pushInteger(bytes, { first: 0, prefixBits: 7, value: text.length });
  for (let at = 0; at < text.length; at++) bytes.push(text.charCodeAt(at) & 0xff);
}

interface PrefixedInteger {
  /** The other bits of the first byte. */
  readonly first: number;
  readonly prefixBits: number;
  readonly value: number;
}

function pushInteger(bytes: number[], { first, prefixBits, value }: PrefixedInteger): void {
  const mask = (1 << prefixBits) - 1;
  if (value < mask) {
    bytes.push(first | value);
    return;
  }
  bytes.push(first | mask);
  let rest = value - mask;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}
