/** Reads and writes chunks anywhere on a disk, past the page cache. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import {
  ActionError,
  type AskForZeros,
  formatBytes,
  rereadPartitionTable,
  zeroOut,
} from '@tinkerbell/action-kit';
import { codeOf, messageOf } from '@tinkerbell/platform-contract';

/** Direct requests must be multiples of the device's block, which is never larger than this. */
const ALIGNMENT_BYTES = 4096;

interface DiskRange {
  readonly offset: number;
  readonly length: number;
}

interface Files {
  readonly path: string;
  readonly direct: FileHandle;
  readonly buffered: FileHandle;
  readonly signal: AbortSignal;
}

/** For direct requests, and for those that are no multiple of a block. */
interface Descriptors {
  readonly direct: number;
  readonly buffered: number;
}

export class ChunkDisk {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  /** Reads into page-aligned memory. Returns fewer bytes at the end of the disk, and none from a part that cannot be read. */
  async read(memory: Buffer, offset: number, length: number): Promise<Buffer> {
    const aligned = Math.ceil(length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    try {
      const { bytesRead } = await this.#files.direct.read(memory, 0, aligned, offset);
      return memory.subarray(0, Math.min(bytesRead, length));
    } catch {
      // A bad sector is written again, which most disks repair by that.
      return memory.subarray(0, 0);
    }
  }

  /** Calls what writes, on another thread. */
  write<Result>(work: (descriptors: Descriptors) => Promise<Result>): Promise<Result> {
    const { direct, buffered } = this.#files;
    return this.#explained(() => work({ direct: direct.fd, buffered: buffered.fd }));
  }

  zeros(range: DiskRange, ask: AskForZeros): Promise<void> {
    return this.#explained(() => this.#zero(range, ask));
  }

  /** Waits until the disk has everything, and rereads the partition table. */
  async finish(): Promise<void> {
    await this.#explained(() => this.#files.buffered.sync());
    // A disk in use or without partitions refuses. The image is written nevertheless.
    rereadPartitionTable(this.#files.buffered.fd);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#files.direct.close(), this.#files.buffered.close()]);
  }

  #zero(range: DiskRange, ask: AskForZeros): Promise<void> {
    return zeroOut(this.#files.buffered, { ...range, signal: this.#files.signal, ask });
  }

  async #explained<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof ActionError) throw cause;
      throw new ActionError(`cannot write to ${this.#files.path}: ${messageOf(cause)}`, { cause });
    }
  }
}

/** @throws ActionError when the disk cannot be opened, or is smaller than the image. `sizeBytes` is undefined for a file, which grows. */
export async function openChunkDisk(
  path: string,
  sizes: { readonly sizeBytes: number | undefined; readonly imageBytes: number },
  signal: AbortSignal,
): Promise<ChunkDisk> {
  const { sizeBytes, imageBytes } = sizes;
  if (sizeBytes !== undefined && imageBytes > sizeBytes)
    throw new ActionError(
      `the image is a disk of ${formatBytes(imageBytes)}, which is larger than ${path} (${formatBytes(sizeBytes)}): choose a larger disk in DEST_DISK`,
    );
  try {
    const buffered = await open(path, 'r+');
    try {
      const found = await buffered.stat();
      if (found.isFile() && found.size < imageBytes) await buffered.truncate(imageBytes);
      return new ChunkDisk({ path, direct: await openDirect(path), buffered, signal });
    } catch (error) {
      await buffered.close();
      throw error;
    }
  } catch (cause) {
    throw new ActionError(`cannot open DEST_DISK=${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Some file systems, but no block devices, do not support direct writes. */
async function openDirect(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR | constants.O_DIRECT);
  } catch (error) {
    if (codeOf(error) === 'EINVAL') return open(path, 'r+');
    throw error;
  }
}
