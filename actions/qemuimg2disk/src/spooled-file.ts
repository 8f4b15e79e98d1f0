import { mkdtemp, open, rm, statfs, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  ActionError,
  downloadImage,
  formatBytes,
  type ActionContext,
  writeFully,
} from '@tinkerbell/action-kit';
import type { ImageFile } from '@tinkerbell/qcow2';

export interface SpooledFile extends ImageFile, AsyncDisposable {
  readonly path: string;
}

export interface SpoolRequest {
  readonly url: URL;
  readonly retryForMs: number;
}

/**
 * Downloads a whole file into the temporary directory, which is memory in the in-memory OS.
 *
 * @throws ActionError when there is no room for it.
 */
export async function spool(request: SpoolRequest, context: ActionContext): Promise<SpooledFile> {
  const directory = await mkdtemp(join(tmpdir(), 'image-'));
  const path = join(directory, 'image');
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const file = await open(path, 'wx+');
    try {
      const sizeBytes = await download(request, file, context);
      return {
        path,
        sizeBytes,
        read: (offset, length) => readAt(file, offset, Math.min(length, Math.max(sizeBytes - offset, 0))),
        async [Symbol.asyncDispose]() {
          await file.close();
          await remove();
        },
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

async function download(request: SpoolRequest, file: FileHandle, context: ActionContext): Promise<number> {
  const { bavail, bsize } = await statfs(tmpdir());
  const freeBytes = bavail * bsize;
  const assertRoom = (bytes: number): void => {
    if (bytes <= freeBytes) return;
    throw new ActionError(
      `${request.url.href} has ${formatBytes(bytes)}, and this system has room for ${formatBytes(freeBytes)}: serve it from a server with range requests, or convert it to qcow2 or raw`,
    );
  };
  const { signal, clock, log } = context;
  context.progress({ message: `storing ${request.url.href}` });
  let sizeBytes = 0;
  for await (const chunk of downloadImage({ ...request, signal, clock, log, onTotal: assertRoom })) {
    assertRoom(sizeBytes + chunk.length);
    await writeFully(file, chunk, sizeBytes);
    sizeBytes += chunk.length;
  }
  return sizeBytes;
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
