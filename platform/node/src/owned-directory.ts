import { mkdir, open, readdir, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  messageOf,
  PlatformError,
  type OpenOwnedDirectory,
  type OwnedFile,
  type OwnedFileWriter,
} from '@tinkerbell/platform-contract';

export const openNodeDirectory: OpenOwnedDirectory = async (path) => {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new PlatformError('unavailable', `cannot create the folder ${path}: ${cause.message}`, { cause });
  });
  return {
    path,
    async list() {
      const entries = await readdir(path, { withFileTypes: true });
      const found = await Promise.all(
        entries.filter((entry) => entry.isFile()).map(({ name }) => describe(path, name)),
      );
      return found.filter((file) => file !== undefined);
    },
    async create(name) {
      const place = checkedPlace(path, name);
      await rm(place, { force: true });
      return writerOf(await open(place, 'wx', 0o600).catch((cause) => fail(place, cause)), place);
    },
    touch(name) {
      const now = new Date();
      return utimes(checkedPlace(path, name), now, now);
    },
    remove: (name) => rm(checkedPlace(path, name), { force: true }),
  };
};

function checkedPlace(path: string, name: string): string {
  if (!/^[\w-][\w.-]*$/.test(name)) throw new Error(`not a file name: ${name}`);
  return join(path, name);
}

async function describe(path: string, name: string): Promise<OwnedFile | undefined> {
  const found = await stat(join(path, name)).catch(() => undefined);
  return found === undefined ? undefined : { name, sizeBytes: found.size, modifiedMs: found.mtimeMs };
}

function writerOf(file: FileHandle, place: string): OwnedFileWriter {
  return {
    async write(bytes) {
      let at = 0;
      while (at < bytes.length) {
        const { bytesWritten } = await file
          .write(bytes, at, bytes.length - at)
          .catch((cause) => fail(place, cause));
        at += bytesWritten;
      }
    },
    async close() {
      try {
        await file.datasync();
      } catch (cause) {
        fail(place, cause);
      } finally {
        await file.close();
      }
    },
  };
}

function fail(place: string, cause: unknown): never {
  const message = messageOf(cause);
  throw new PlatformError('unavailable', `cannot write ${place}: ${message}`, { cause });
}
