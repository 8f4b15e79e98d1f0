/** The files of an image on this machine: a folder, or a tar archive. */
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '@tinkerbell/platform-contract';
import { BLOCK_BYTES, decodeHeader, TarError, type TarHeader } from '@tinkerbell/tar';
import { unreadable } from '../files/unreadable.ts';
import { TinkFailure } from '../failure.ts';

export interface ImageFiles {
  /** The path, for messages. */
  readonly shown: string;
  /** Returns a whole small file, and undefined when there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Returns undefined when there is no such file. */
  size(name: string): Promise<number | undefined>;
  chunks(name: string): AsyncIterable<Uint8Array>;
}

/** Indexes and manifests are smaller. */
const READ_BYTES_MAX = 16 * 1024 * 1024;
const ENTRIES_MAX = 100_000;
const CHUNK_BYTES = 1024 * 1024;

/** What `tink image push` takes. */
export const CONTAINER_IMAGE =
  'use an OCI layout (a folder or a tar archive), or the archive of "docker save"; "tink image add" stores a disk image';

/** Throws a TinkFailure for a path that is neither a folder nor a tar archive. */
export async function openImageFiles(path: string): Promise<ImageFiles> {
  const found = await stat(path).catch((thrown: unknown) => {
    throw unreadable(path, thrown);
  });
  if (found.isDirectory()) return folderFiles(path);
  const places = await tarPlaces(path).catch((thrown: unknown) => {
    throw new TinkFailure(`${path} ${messageOf(thrown)}`, {
      advice: CONTAINER_IMAGE,
    });
  });
  return tarFiles(path, places);
}

function folderFiles(path: string): ImageFiles {
  const placeOf = (name: string): string => {
    if (name.split('/').some((element) => element === '..' || element === ''))
      throw new TinkFailure(`${path}: the file name ${JSON.stringify(name)} leaves the folder`);
    return join(path, name);
  };
  const size = async (name: string): Promise<number | undefined> => {
    try {
      return (await stat(placeOf(name))).size;
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  };
  return {
    shown: path,
    size,
    async read(name) {
      const bytes = await size(name);
      if (bytes === undefined) return undefined;
      requireSmall(path, name, bytes);
      return readFile(placeOf(name));
    },
    chunks: (name) => createReadStream(placeOf(name), { highWaterMark: CHUNK_BYTES }),
  };
}

interface Place {
  readonly start: number;
  readonly sizeBytes: number;
}

function tarFiles(path: string, places: ReadonlyMap<string, Place>): ImageFiles {
  const chunks = (name: string): AsyncIterable<Uint8Array> => {
    const { start, sizeBytes } = places.get(name) ?? { start: 0, sizeBytes: 0 };
    if (sizeBytes === 0) return nothing();
    return createReadStream(path, { start, end: start + sizeBytes - 1, highWaterMark: CHUNK_BYTES });
  };
  return {
    shown: path,
    size: async (name) => places.get(name)?.sizeBytes,
    async read(name) {
      const place = places.get(name);
      if (place === undefined) return undefined;
      requireSmall(path, name, place.sizeBytes);
      return Buffer.concat(await Array.fromAsync(chunks(name)));
    },
    chunks,
  };
}

/** Where the files of an archive are. Headers are read one by one, because bodies may have gigabytes. */
async function tarPlaces(path: string): Promise<ReadonlyMap<string, Place>> {
  await using file = await open(path, 'r');
  const places = new Map<string, Place>();
  const block = new Uint8Array(BLOCK_BYTES);
  for (let at = 0; places.size < ENTRIES_MAX;) {
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, at);
    if (bytesRead === 0 && at > 0) return places;
    if (bytesRead < BLOCK_BYTES) throw new Error('is not a tar archive');
    const entry = headerIn(block);
    if (entry === undefined) return places;
    const start = at + BLOCK_BYTES;
    if (entry.kind === 'file')
      places.set(entry.name.replace(/^(?:\.\/)+/, ''), { start, sizeBytes: entry.size });
    at = start + Math.ceil(entry.size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  throw new Error(`has more than ${ENTRIES_MAX} files`);
}

function headerIn(block: Uint8Array): TarHeader | undefined {
  try {
    const header = decodeHeader(block);
    if (header === undefined || header.size >= 0) return header;
    throw new TarError('the size of an entry is negative');
  } catch (thrown) {
    if (thrown instanceof TarError)
      throw new Error(`is not a tar archive: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}

function requireSmall(path: string, name: string, sizeBytes: number): void {
  if (sizeBytes > READ_BYTES_MAX)
    throw new TinkFailure(`${path}: ${name} is larger than ${READ_BYTES_MAX} bytes`);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
