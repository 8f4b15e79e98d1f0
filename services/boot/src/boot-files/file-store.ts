import type { FileInfo } from '@tinkerbell/platform-contract';
import { BoundedCache } from '@tinkerbell/wire';
import type { BootDeps } from '../config.ts';
import { fileOfBytes, type BootFile } from './boot-file.ts';

/** Files up to this size are cached whole: iPXE binaries, boot loaders, texts. Larger ones are read in chunks. */
export const WHOLE_FILE_BYTES_MAX = 8 * 1024 * 1024;
const WHOLE_CACHE_BYTES_MAX = 64 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/**
 * Checking the disk for every machine of a rack costs more than sending a small file. The number of entries is limited, however
 * many paths are requested.
 */
const INFO_KEPT_MS = 1_000;
const INFOS_MAX = 1_024;
/** Shared by all transfers: a rack that is switched on reads the same parts of the same initrd. */
const CHUNK_CACHE_BYTES_MAX = 64 * 1024 * 1024;

export interface FileStore {
  /** Returns undefined when `root` has no such regular file below it. */
  open(root: string, path: string): Promise<BootFile | undefined>;
  /** Returns the same file whole, in memory. Returns undefined also when it has more than WHOLE_FILE_BYTES_MAX bytes. */
  read(root: string, path: string): Promise<Uint8Array | undefined>;
}

interface Chunk {
  readonly root: string;
  readonly path: string;
  readonly info: FileInfo;
  readonly index: number;
}

/**
 * Serves files as they were on disk at most a second ago. Cached bytes are used while size and modification time stay the same.
 */
export function createFileStore({ files, clock }: Pick<BootDeps, 'files' | 'clock'>): FileStore {
  const wholeBytes = createWholeFiles(files);
  const chunks = new BoundedCache<Uint8Array | Promise<Uint8Array>>(CHUNK_CACHE_BYTES_MAX);

  /** Cached from the moment of the request, so that many transfers cause one read. A failure is not cached. */
  function chunkOf(chunk: Chunk): Uint8Array | Promise<Uint8Array> {
    const { root, path, info, index } = chunk;
    const key = `${root}\0${path}\0${info.modifiedMs}\0${info.sizeBytes}\0${index}`;
    const known = chunks.get(key);
    if (known !== undefined) return known;
    const reading = readChunk(files, chunk).then(
      (bytes) => {
        chunks.set(key, bytes, CHUNK_BYTES);
        return bytes;
      },
      (error: unknown) => {
        chunks.delete(key);
        infos.delete(`${root}\0${path}`);
        throw error;
      },
    );
    chunks.set(key, reading, CHUNK_BYTES);
    return reading;
  }

  const infos = new BoundedCache<{ readonly info: FileInfo | undefined; readonly untilMs: number }>(
    INFOS_MAX,
  );

  async function regular(root: string, path: string): Promise<FileInfo | undefined> {
    const key = `${root}\0${path}`;
    const nowMs = clock.monotonicMs();
    const known = infos.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.info;
    const found = await files.stat(root, path);
    const info = found?.isFile === true ? found : undefined;
    infos.set(key, { info, untilMs: nowMs + INFO_KEPT_MS }, 1);
    return info;
  }

  return {
    async open(root, path) {
      const info = await regular(root, path);
      if (info === undefined) return undefined;
      if (info.sizeBytes > WHOLE_FILE_BYTES_MAX)
        return chunkedFile(info.sizeBytes, (index) => chunkOf({ root, path, info, index }));
      const bytes = await wholeBytes(root, path, info);
      return bytes === undefined ? undefined : fileOfBytes(bytes);
    },
    async read(root, path) {
      const info = await regular(root, path);
      const isSmall = info !== undefined && info.sizeBytes <= WHOLE_FILE_BYTES_MAX;
      return isSmall ? wholeBytes(root, path, info) : undefined;
    },
  };
}

/** A rack that is switched on requests the same file at once: one request reads it, and all wait for that. */
function createWholeFiles(files: BootDeps['files']) {
  const whole = new BoundedCache<{ info: FileInfo; bytes: Uint8Array }>(WHOLE_CACHE_BYTES_MAX);
  const reading = new Map<string, { info: FileInfo; bytes: Promise<Uint8Array | undefined> }>();
  return async (root: string, path: string, info: FileInfo): Promise<Uint8Array | undefined> => {
    const key = `${root}\0${path}`;
    for (const known of [whole.get(key), reading.get(key)])
      if (known !== undefined && isSame(known.info, info)) return known.bytes;
    const bytes = files.read(root, path, WHOLE_FILE_BYTES_MAX);
    const begun = { info, bytes };
    reading.set(key, begun);
    try {
      const found = await bytes;
      if (found !== undefined) whole.set(key, { info, bytes: found }, found.length);
      return found;
    } finally {
      if (reading.get(key) === begun) reading.delete(key);
    }
  };
}

function isSame(one: FileInfo, other: FileInfo): boolean {
  return (
    one.realPath === other.realPath &&
    one.modifiedMs === other.modifiedMs &&
    one.sizeBytes === other.sizeBytes
  );
}

async function readChunk(files: BootDeps['files'], { root, path, info, index }: Chunk): Promise<Uint8Array> {
  const start = index * CHUNK_BYTES;
  const end = Math.min(start + CHUNK_BYTES, info.sizeBytes) - 1;
  const found = await files.readRange(root, path, { start, end });
  if (found === undefined || !isSame(found.info, info) || found.bytes.length !== end + 1 - start)
    throw new Error(`${path} changed while it was being sent`);
  return found.bytes;
}

type ChunkAt = (index: number) => Uint8Array | Promise<Uint8Array>;

/** Reads one chunk ahead of the request. */
function chunkedFile(sizeBytes: number, chunkAt: ChunkAt): BootFile {
  return {
    sizeBytes,
    slice(offset, length) {
      const first = Math.floor(offset / CHUNK_BYTES);
      const last = Math.floor(Math.max(offset, offset + length - 1) / CHUNK_BYTES);
      if (length === 0) return new Uint8Array();
      const found = Array.from({ length: last + 1 - first }, (_, index) => chunkAt(first + index));
      if ((last + 1) * CHUNK_BYTES < sizeBytes) readAhead(chunkAt, last + 1);
      const range = { offset: offset - first * CHUNK_BYTES, length };
      const ready = found.filter((each) => each instanceof Uint8Array);
      return ready.length === found.length
        ? joined(ready, range)
        : Promise.all(found.map((each) => Promise.resolve(each))).then((all) => joined(all, range));
    },
  };
}

/** A failure is reported when the bytes are requested. */
function readAhead(chunkAt: ChunkAt, index: number): void {
  const next = chunkAt(index);
  if (next instanceof Promise) next.catch(() => undefined);
}

function joined(
  chunks: readonly Uint8Array[],
  { offset, length }: { offset: number; length: number },
): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only.subarray(offset, offset + length);
  const bytes = new Uint8Array(length);
  let at = -offset;
  for (const chunk of chunks) {
    const from = Math.max(0, -at);
    bytes.set(
      chunk.subarray(from, from + Math.min(chunk.length - from, length - Math.max(0, at))),
      at + from,
    );
    at += chunk.length;
  }
  return bytes;
}
