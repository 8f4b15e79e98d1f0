import type { Stats } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { PlatformError, type FileInfo, type Files } from '@tinkerbell/platform-contract';
import { rememberPart } from './file-part.ts';
import { ownedChunk } from './owned-chunks.ts';

/** At the usual 64 KiB the processor does twice the work for the same bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** Errors that say that there is no such file for us. Others (EIO, ESTALE of NFS) say nothing about it. */
const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'EINVAL'];

/** Regular files below a root. A path that leaves the root, also through a link, is absent. */
export const nodeFiles: Files = {
  async stat(root, relativePath): Promise<FileInfo | undefined> {
    const path = await inside(root, relativePath);
    if (path === undefined) return undefined;
    return infoOf(await stat(path));
  },

  async read(root, relativePath, limitBytes) {
    const path = await inside(root, relativePath);
    if (path === undefined) return undefined;
    await using file = await open(path, 'r');
    const found = await file.stat();
    if (!found.isFile()) return undefined;
    if (found.size > limitBytes)
      throw new PlatformError('too-large', `${relativePath} is larger than ${limitBytes} bytes`);
    return new Uint8Array(await file.readFile());
  },

  async readRange(root, relativePath, { start, end }) {
    const path = await inside(root, relativePath);
    if (path === undefined) return undefined;
    await using file = await open(path, 'r');
    const bytes = new Uint8Array(end + 1 - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return { bytes: bytes.subarray(0, bytesRead), info: infoOf(await file.stat()) };
  },

  stream(root, relativePath, range, progress) {
    const path = join(root, relativePath);
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
            file ??= await open(path, 'r');
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
    return rememberPart(stream, { path, range, progress });
  },

  async names(root, relativePath) {
    const path = await inside(root, relativePath);
    if (path === undefined) return [];
    return (await readdir(path)).toSorted();
  },
};

function infoOf(found: Stats): FileInfo {
  return {
    sizeBytes: found.size,
    modifiedMs: found.mtimeMs,
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
  };
}

/** The real path, or undefined when there is nothing or it lies outside. */
async function inside(root: string, relativePath: string): Promise<string | undefined> {
  if (relativePath.includes('\0')) return undefined;
  try {
    const base = await realpath(root);
    const path = await realpath(join(base, relativePath));
    return path === base || path.startsWith(base + sep) ? path : undefined;
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (ABSENT.includes(code)) return undefined;
    throw new PlatformError('unavailable', `cannot look at ${relativePath} in ${root}: ${code}`, { cause });
  }
}
