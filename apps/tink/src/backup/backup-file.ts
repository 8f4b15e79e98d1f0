/**
 * The backup file format: gzip of JSON lines. The first line is a header. Objects and records follow. The last line is the manifest
 * with the count of each and the SHA-256 of all previous lines. A truncated file has no manifest and is rejected.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { isRecord, type Resource } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { TinkFailure } from '../failure.ts';

export type BackupLine =
  | { readonly type: 'object'; readonly collection: string; readonly object: Resource }
  | { readonly type: 'record'; readonly record: JournalRecord };

export interface Manifest {
  readonly type: 'manifest';
  /** Counts by collection. */
  readonly objects: Readonly<Record<string, number>>;
  readonly records: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

const HEADER = { type: 'tinkerbell-backup', version: 1 } as const;

/** Writes a temporary file and renames it when it is complete. Rejects when the file cannot be written. */
export async function writeBackup(path: string, lines: AsyncIterable<BackupLine>): Promise<Manifest> {
  const hash = createHash('sha256');
  const objects: Record<string, number> = {};
  let records = 0;
  let manifest: Manifest | undefined;
  const textOf = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  async function* texts() {
    yield textOf(HEADER);
    for await (const line of lines) {
      if (line.type === 'object') objects[line.collection] = (objects[line.collection] ?? 0) + 1;
      else records += 1;
      yield textOf(line);
    }
    manifest = { type: 'manifest', objects, records, sha256: hash.digest('hex') };
    yield `${JSON.stringify(manifest)}\n`;
  }
  const partial = `${path}.part`;
  await pipeline(
    Readable.from(texts()),
    createGzip(),
    createWriteStream(partial, { mode: 0o600, flush: true }),
  );
  await rename(partial, path);
  if (manifest === undefined) throw new Error('the backup has no manifest');
  return manifest;
}

/** Yields each line except the header and the manifest. Throws a TinkFailure if the file is not a backup. */
export async function* readBackup(path: string): AsyncGenerator<BackupLine | Manifest, void, undefined> {
  const input = createReadStream(path).pipe(createGunzip());
  let isFirst = true;
  for await (const text of createInterface({ input })) {
    const line: unknown = JSON.parse(text);
    if (!isRecord(line)) throw new TinkFailure(`${path} is not a backup`);
    if (isFirst && (line['type'] !== HEADER.type || line['version'] !== HEADER.version))
      throw new TinkFailure(`${path} is not a backup of this version: it starts with ${text.slice(0, 60)}`);
    if (!isFirst) yield line as unknown as BackupLine | Manifest;
    isFirst = false;
  }
}

/** Reads the whole file and verifies it. Throws a TinkFailure if it is damaged. */
export async function verifyBackup(path: string): Promise<Manifest> {
  const hash = createHash('sha256');
  let last = '';
  try {
    for await (const text of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
      if (last !== '') hash.update(`${last}\n`);
      last = text;
    }
  } catch (thrown) {
    throw damaged(path, String(thrown));
  }
  const manifest: unknown = last.startsWith('{"type":"manifest"') ? JSON.parse(last) : undefined;
  if (!isRecord(manifest)) throw damaged(path, 'the manifest at its end is missing');
  if (manifest['sha256'] !== hash.digest('hex')) throw damaged(path, 'its SHA-256 does not match');
  return manifest as unknown as Manifest;
}

function damaged(path: string, why: string): TinkFailure {
  return new TinkFailure(`${path} is damaged or incomplete: ${why}`, {
    advice: 'nothing was restored; create another backup',
  });
}
