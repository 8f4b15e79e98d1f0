/** Writes layers for tests, also such as no honest program writes. */
import { createHash } from 'node:crypto';
import type { Digest } from '@tinkerbell/oci';

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

export function layerOf(entries: readonly WrittenEntry[]): Buffer {
  return Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)]);
}

export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function entryBytes(entry: WrittenEntry): Buffer {
  const records = Object.entries({
    path: entry.name,
    ...(entry.linkName === undefined ? {} : { linkpath: entry.linkName }),
    ...Object.fromEntries(
      Object.entries(entry.attributes ?? {}).map(([key, value]) => [`SCHILY.xattr.${key}`, value]),
    ),
  });
  const pax = Buffer.concat(records.map(([key, value]) => record(key, value)));
  return Buffer.concat([
    block({ name: 'pax', flag: 'x' }, pax),
    block(entry, Buffer.from(entry.content ?? '')),
  ]);
}

function record(key: string, value: string): Buffer {
  const text = Buffer.from(` ${key}=${value}\n`, 'latin1');
  let length = text.length;
  while (String(length).length + text.length > length) length += 1;
  return Buffer.concat([Buffer.from(String(length)), text]);
}

function block(entry: WrittenEntry, body: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, width: number): void =>
    void header.write(value.toString(8).padStart(width - 1, '0'), at);
  header.write(entry.name.slice(0, 99), 0, 'latin1');
  octal(entry.mode ?? 0o755, 100, 8);
  octal(entry.userId ?? 0, 108, 8);
  octal(entry.groupId ?? 0, 116, 8);
  octal(body.length, 124, 12);
  octal(entry.seconds ?? 1_600_000_000, 136, 12);
  header.write(entry.flag, 156);
  header.write((entry.linkName ?? '').slice(0, 99), 157, 'latin1');
  header.write('ustar\x0000', 257);
  octal(entry.device?.[0] ?? 0, 329, 8);
  octal(entry.device?.[1] ?? 0, 337, 8);
  header.fill(0x20, 148, 156);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}
