import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { messageOf } from '@tinkerbell/platform-contract';

import { ActionError } from './action-error.ts';
import { alignedBuffer } from './aligned-buffer.ts';

const BUFFER_BYTES = 1024 * 1024;
/** Direct reads must be multiples of the device's block, which is never larger than this. */
const ALIGNMENT_BYTES = 4096;

/** Reads a disk past the page cache, so that the bytes are those of the disk and not what was written last. */
export class DiskReader {
  readonly #file: FileHandle;
  readonly #buffer = alignedBuffer(BUFFER_BYTES);
  readonly #path: string;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Returns up to 1 MiB from `offset`, less at the end of the disk. The bytes are valid until the next call. */
  async read(offset: number, length: number): Promise<Buffer> {
    const start = offset - (offset % ALIGNMENT_BYTES);
    const wanted = Math.min(offset + length - start, BUFFER_BYTES);
    const aligned = Math.ceil(wanted / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    try {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, aligned, start);
      return this.#buffer.subarray(offset - start, Math.min(wanted, bytesRead));
    } catch (cause) {
      throw new ActionError(`cannot read ${this.#path} at byte ${offset}: ${messageOf(cause)}`, { cause });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** @throws ActionError when the disk cannot be opened. */
export async function openDiskReader(path: string): Promise<DiskReader> {
  const direct = await open(path, constants.O_RDONLY | constants.O_DIRECT).catch(() => undefined);
  try {
    return new DiskReader(path, direct ?? (await open(path, 'r')));
  } catch (cause) {
    throw new ActionError(`cannot open ${path}: ${messageOf(cause)}`, { cause });
  }
}
