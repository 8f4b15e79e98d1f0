import { constants, readlinkSync, type Stats } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf, PlatformError, type FileInfo, type Files } from '@tinkerbell/platform-contract';
import { rememberPart } from './file-part.ts';
import { ownedChunk } from './owned-chunks.ts';

/** With the usual 64 KiB, the processor does twice the work for the same bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** Errors that mean that the file does not exist for the caller. Others (EIO, ESTALE of NFS) do not show that. */
const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'EINVAL'];

/** Opening a named pipe does not wait for a writer, and a link that replaced the file is not followed. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Serves regular files below a root. A path that leaves the root, also through a link, is treated as absent. */
export const nodeFiles: Files = {
  async stat(root, relativePath): Promise<FileInfo | undefined> {
    const place = await inside(root, relativePath);
    return place && infoOf(await stat(place.path), place);
  },

  async read(root, relativePath, limitBytes) {
    const opened = await openInside(root, relativePath);
    if (opened === undefined) return undefined;
    await using file = opened.file;
    if (opened.info.sizeBytes > limitBytes)
      throw new PlatformError('too-large', `${relativePath} is larger than ${limitBytes} bytes`);
    return new Uint8Array(await file.readFile());
  },

  async readRange(root, relativePath, { start, end }) {
    const opened = await openInside(root, relativePath);
    if (opened === undefined) return undefined;
    await using file = opened.file;
    const bytes = new Uint8Array(end + 1 - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return { bytes: bytes.subarray(0, bytesRead), info: opened.info };
  },

  stream(root, realPath, { progress, ...range }) {
    const openPart = async () => {
      const opened = await openInside(root, realPath);
      if (opened?.info.realPath === realPath) return opened.file;
      await opened?.file.close();
      throw new PlatformError('unavailable', `${realPath} in ${root} is no longer the file that was checked`);
    };
    let position = range.start;
    let file: FileHandle | undefined;
    const end = async () => {
      progress?.ended();
      await file?.close();
    };
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            file ??= await openPart();
            const chunk = ownedChunk(Math.min(CHUNK_BYTES, range.end + 1 - position));
            const { bytesRead } =
              chunk.length === 0 ? { bytesRead: 0 } : await file.read(chunk, 0, chunk.length, position);
            position += bytesRead;
            if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead));
            progress?.moved(bytesRead);
            if (bytesRead > 0 && position <= range.end) return;
          } catch (error) {
            await end();
            throw error;
          }
          await end();
          controller.close();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
    return rememberPart(stream, { name: realPath, open: openPart, range, progress });
  },

  async names(root, relativePath) {
    const place = await inside(root, relativePath);
    if (place === undefined) return [];
    try {
      return (await readdir(place.path)).toSorted();
    } catch (cause) {
      return absentOrThrown(cause, relativePath, root) ?? [];
    }
  },
};

/** A path without links, and the root that contains it. */
interface Place {
  readonly base: string;
  readonly path: string;
}

function infoOf(found: Stats, { base, path }: Place): FileInfo {
  return {
    sizeBytes: found.size,
    modifiedMs: found.mtimeMs,
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
    realPath: path.slice(base.length + 1),
  };
}

/** Returns the target of the path, or undefined when it does not exist or is outside. */
async function inside(root: string, relativePath: string): Promise<Place | undefined> {
  if (relativePath.includes('\0')) return undefined;
  try {
    const base = await realpath(root);
    const path = await realpath(join(base, relativePath));
    return isWithin(base, path) ? { base, path } : undefined;
  } catch (cause) {
    return absentOrThrown(cause, relativePath, root);
  }
}

function isWithin(base: string, path: string): boolean {
  return path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);
}

/**
 * Returns the regular file at the path, or undefined when there is none. Its location is read from the open file, because a link
 * may have replaced a folder after the path was resolved.
 */
async function openInside(root: string, relativePath: string) {
  const place = await inside(root, relativePath);
  if (place === undefined) return undefined;
  let file: FileHandle | undefined;
  try {
    file = await open(place.path, OPEN_FLAGS);
    const found = await file.stat();
    const path = found.isFile() ? await pathOfOpened(file, found, place.path) : undefined;
    if (path !== undefined && isWithin(place.base, path))
      return { file, info: infoOf(found, { base: place.base, path }) };
  } catch (cause) {
    await file?.close();
    return absentOrThrown(cause, relativePath, root);
  }
  await file.close();
  return undefined;
}

/** Returns the kernel's location of an open file (Linux). Elsewhere it returns the path, if that still leads to the same file. */
async function pathOfOpened(file: FileHandle, found: Stats, path: string): Promise<string | undefined> {
  try {
    const target = readlinkSync(`/proc/self/fd/${file.fd}`);
    // Another file has taken its name meanwhile, as when a publisher renames.
    return found.nlink === 0 ? target.replace(/ \(deleted\)$/, '') : target;
  } catch {
    const real = await realpath(path);
    const { dev, ino } = await stat(real);
    return dev === found.dev && ino === found.ino ? real : undefined;
  }
}

/**
 * Returns undefined when the error means that the file does not exist for the caller. @throws PlatformError `unavailable` for any
 * other error.
 */
function absentOrThrown(cause: unknown, relativePath: string, root: string): undefined {
  const code = codeOf(cause) ?? '';
  if (ABSENT.includes(code)) return undefined;
  throw new PlatformError('unavailable', `cannot read ${relativePath} in ${root}: ${code}`, { cause });
}
