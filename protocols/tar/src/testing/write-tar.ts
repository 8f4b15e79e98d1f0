/** Writes archives for tests, also such as no honest program writes. */
import { bytesOf } from '../byte-string.ts';
import { paddingBytes } from '../encode-header.ts';
import { BLOCK_BYTES, CHECKSUM_AT, checksumOf } from '../header.ts';

/** Names, link names and values are byte strings. */
export interface WrittenEntry {
  readonly name: string;
  /** The type flag of the header. */
  readonly flag: string;
  readonly linkName?: string;
  readonly content?: string;
  readonly mode?: number;
  readonly userId?: number;
  readonly groupId?: number;
  readonly seconds?: number;
  readonly device?: readonly [number, number];
  readonly attributes?: Readonly<Record<string, string>>;
}

export function tarOf(entries: readonly WrittenEntry[]): Uint8Array {
  return joined([...entries.flatMap(entryParts), new Uint8Array(2 * BLOCK_BYTES)]);
}

function entryParts(entry: WrittenEntry): readonly Uint8Array[] {
  const attributes = Object.entries(entry.attributes ?? {});
  const records = [
    record('path', entry.name),
    ...(entry.linkName === undefined ? [] : [record('linkpath', entry.linkName)]),
    ...attributes.map(([key, value]) => record(`SCHILY.xattr.${key}`, value)),
  ];
  return [...block({ name: 'pax', flag: 'x' }, records.join('')), ...block(entry, entry.content ?? '')];
}

function record(key: string, value: string): string {
  const text = ` ${key}=${value}\n`;
  let length = text.length;
  while (String(length).length + text.length > length) length += 1;
  return `${length}${text}`;
}

function block(entry: WrittenEntry, body: string): readonly Uint8Array[] {
  const header = new Uint8Array(BLOCK_BYTES);
  const put = (text: string, at: number): void => header.set(bytesOf(text), at);
  const octal = (value: number, at: number, width: number): void =>
    put(value.toString(8).padStart(width - 1, '0'), at);
  put(entry.name.slice(0, 99), 0);
  octal(entry.mode ?? 0o755, 100, 8);
  octal(entry.userId ?? 0, 108, 8);
  octal(entry.groupId ?? 0, 116, 8);
  octal(body.length, 124, 12);
  octal(entry.seconds ?? 1_600_000_000, 136, 12);
  put(entry.flag, 156);
  put((entry.linkName ?? '').slice(0, 99), 157);
  put('ustar\u000000', 257);
  octal(entry.device?.[0] ?? 0, 329, 8);
  octal(entry.device?.[1] ?? 0, 337, 8);
  octal(checksumOf(header), CHECKSUM_AT, 7);
  return [header, bytesOf(body), new Uint8Array(paddingBytes(body.length))];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
