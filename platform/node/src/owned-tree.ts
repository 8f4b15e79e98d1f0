import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  codeOf,
  messageOf,
  PlatformError,
  type OpenOwnedTree,
  type OwnedAppender,
} from '@tinkerbell/platform-contract';

/** Files that are being written. No path of a caller begins with a dot, so none leads here. */
const UNFINISHED = '.unfinished';
const READ_BYTES = 1024 * 1024;

export const openNodeTree: OpenOwnedTree = async (path) => {
  const unfinished = join(path, UNFINISHED);
  await guarded(path, async () => {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
  });
  return {
    path,
    list: (folder) =>
      guarded(folder, async () => {
        const entries = await unlessAbsent(readdir(placeOf(path, folder), { withFileTypes: true }));
        return (entries ?? [])
          .filter(({ name }) => !name.startsWith('.'))
          .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
          .sort((one, other) => (one.name < other.name ? -1 : 1));
      }),
    stat: (file) =>
      guarded(file, async () => {
        const found = await unlessAbsent(stat(placeOf(path, file)));
        return found?.isFile() === true ? { sizeBytes: found.size, modifiedMs: found.mtimeMs } : undefined;
      }),
    read: (file) =>
      guarded(file, async () => {
        const bytes = await unlessAbsent(readFile(placeOf(path, file)));
        return bytes === undefined ? undefined : new Uint8Array(bytes);
      }),
    write: (file, bytes) =>
      guarded(file, async () => {
        const place = placeOf(path, file);
        const temporary = join(unfinished, randomUUID());
        await writeSynced(temporary, bytes);
        await moveSynced(temporary, place);
      }),
    append: (file) => guarded(file, () => appenderOf(placeOf(path, file), file)),
    hash: (file, algorithm) =>
      guarded(file, async () => {
        const hash = createHash(algorithm);
        const bytes = createReadStream(placeOf(path, file), { highWaterMark: READ_BYTES });
        for await (const chunk of bytes) hash.update(chunk);
        return hash.digest('hex');
      }),
    move: (from, to) => guarded(to, () => moveSynced(placeOf(path, from), placeOf(path, to))),
    touch: (file) =>
      guarded(file, async () => {
        const now = new Date();
        await unlessAbsent(utimes(placeOf(path, file), now, now));
      }),
    remove: (file) => guarded(file, () => rm(placeOf(path, file), { force: true })),
    freeBytes: () =>
      guarded(path, async () => {
        const { bavail, bsize } = await statfs(path);
        return bavail * bsize;
      }),
  };
};

function placeOf(root: string, path: string): string {
  const isPlain = path === '' || path.split('/').every((element) => /^[\w+-][\w.+-]*$/.test(element));
  if (!isPlain) throw new Error(`not a path of a tree: ${JSON.stringify(path)}`);
  return join(root, path);
}

async function guarded<Value>(path: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (cause) {
    throw problemOf(path, cause);
  }
}

/** A bug of the caller has no code, and stays what it is. */
function problemOf(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (cause instanceof PlatformError || code === undefined) return cause;
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
  const message = isFull ? `the disk is full: cannot write ${path}` : `${path}: ${messageOf(cause)}`;
  return new PlatformError(isFull ? 'disk-full' : 'unavailable', message, { cause });
}

async function unlessAbsent<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(cause) ?? '')) return undefined;
    throw cause;
  }
}

async function writeSynced(place: string, bytes: Uint8Array): Promise<void> {
  try {
    await using file = await open(place, 'wx', 0o600);
    await file.writeFile(bytes);
    await file.datasync();
  } catch (cause) {
    await rm(place, { force: true });
    throw cause;
  }
}

async function moveSynced(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(from, to);
  await syncFolder(folder);
  if (created !== undefined) await syncParents(folder, created);
}

/** New folders need their names on disk too, up to the first one that existed before. */
async function syncParents(folder: string, firstCreated: string): Promise<void> {
  let at = folder;
  while (at.length >= firstCreated.length) {
    at = dirname(at);
    await syncFolder(at);
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using opened = await open(folder, 'r');
  await opened.sync();
}

async function appenderOf(place: string, shown: string): Promise<OwnedAppender> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const file: FileHandle = await open(place, 'a', 0o600);
  let { size } = await file.stat();
  return {
    get sizeBytes() {
      return size;
    },
    write: (bytes) =>
      guarded(shown, async () => {
        for (let at = 0; at < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
          at += bytesWritten;
          size += bytesWritten;
        }
      }),
    close: () =>
      guarded(shown, async () => {
        await using opened = file;
        await opened.datasync();
      }),
  };
}
