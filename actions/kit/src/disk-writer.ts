/**
 * Writes a stream to a disk past the page cache: 4 MiB at a time, several in flight, from page-aligned
 * memory. Long runs of zeros are not sent. Instead the kernel zeroes that range, which most devices do at
 * once. The earlier content of the disk does not matter.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { codeOf, messageOf, nextTurn } from '@tinkerbell/platform-contract';

import { ActionError } from './action-error.ts';
import { alignedBuffer } from './aligned-buffer.ts';
import { formatBytes } from './format-bytes.ts';
import { rereadPartitionTable } from './system-calls.ts';
import { writeFully } from './write-fully.ts';
import { splitZeros, ZeroRuns } from './zero-runs.ts';

const BUFFER_BYTES = 4 * 1024 * 1024;
const BUFFER_COUNT = 4;

/** Direct writes must be multiples of the device's block, which is never larger than this. */
const DIRECT_ALIGNMENT_BYTES = 4096;

/** One request to zero a range blocks this process, and a slow disk may really write the zeros. */
const ZEROS_AT_ONCE_BYTES = 64 * 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

export interface WriteTotals {
  readonly bytes: number;
  /** The number of bytes that were zeros and did not have to be sent. */
  readonly zeroBytes: number;
}

class NoSpace extends Error {}

/**
 * @throws ActionError when the disk cannot be opened. `sizeBytes` is undefined for a file, which may grow.
 */
export async function openDiskWriter(
  path: string,
  sizeBytes: number | undefined,
  signal: AbortSignal,
): Promise<DiskWriter> {
  const direct = await openDirect(path);
  const buffered = await open(path, 'r+').catch(async (error: unknown) => {
    // Node ends the process for a file that nobody closes.
    await direct.close();
    throw error;
  });
  return new DiskWriter({ path, sizeBytes, direct, buffered, signal });
}

interface Target {
  readonly path: string;
  readonly sizeBytes: number | undefined;
  readonly direct: FileHandle;
  readonly buffered: FileHandle;
  /** Once it aborts, nothing waits for the disk any more. */
  readonly signal: AbortSignal;
}

export class DiskWriter {
  readonly #target: Target;
  readonly #zeros: ZeroRuns;
  readonly #free: Buffer[];
  readonly #inFlight = new Set<Promise<void>>();
  #current: Buffer | undefined;
  #filled = 0;
  #position = 0;
  #failure: unknown;
  /** Resolves when the signal aborts. Otherwise the action would wait for a disk that hangs. */
  readonly #stopped: Promise<void>;

  constructor(target: Target) {
    const memory = alignedBuffer(BUFFER_BYTES * BUFFER_COUNT);
    this.#target = target;
    this.#stopped = new Promise((resolve) => {
      const stop = (): void => {
        this.#failure ??= new ActionError('writing the image was stopped at the timeout');
        resolve();
      };
      if (target.signal.aborted) stop();
      else target.signal.addEventListener('abort', stop, { once: true });
    });
    this.#zeros = new ZeroRuns(target.buffered.fd);
    this.#free = Array.from({ length: BUFFER_COUNT }, (_, index) =>
      memory.subarray(index * BUFFER_BYTES, (index + 1) * BUFFER_BYTES),
    );
  }

  /**
   * Accepts all of `chunk`. Resolves when there is room for more.
   *
   * @throws ActionError when an earlier write failed or the disk is too small.
   */
  async write(chunk: Uint8Array): Promise<void> {
    let offset = 0;
    while (offset < chunk.length) {
      const buffer = this.#current ?? (await this.#nextFree());
      this.#current = buffer;
      const taken = Math.min(chunk.length - offset, BUFFER_BYTES - this.#filled);
      buffer.set(chunk.subarray(offset, offset + taken), this.#filled);
      this.#filled += taken;
      offset += taken;
      if (this.#filled === BUFFER_BYTES) this.#submit(buffer);
    }
  }

  /** Like `write` with that many zeros, without copying them. */
  async zeros(length: number): Promise<void> {
    let left = length;
    while (left > 0) {
      const isAligned = this.#filled === 0 && left >= BUFFER_BYTES;
      const whole = Math.min(left - (left % BUFFER_BYTES), ZEROS_AT_ONCE_BYTES);
      if (isAligned && (await this.#skip(whole))) {
        left -= whole;
        continue;
      }
      const piece = Math.min(left, BUFFER_BYTES - this.#filled, ZEROS.length);
      await this.write(ZEROS.subarray(0, piece));
      left -= piece;
    }
  }

  /** Returns false when the device cannot zero a range. */
  async #skip(length: number): Promise<boolean> {
    if (this.#failure !== undefined) throw this.#explain(this.#failure);
    try {
      this.#assertFits(this.#position + length);
      if (!this.#zeros.add(this.#position, length)) return false;
    } catch (error) {
      throw this.#explain(error);
    }
    this.#position += length;
    // The signal and other work of this process have a turn between two requests.
    await nextTurn();
    return true;
  }

  /** Writes the rest, waits until the disk has all of it, and rereads the partition table. */
  async finish(): Promise<WriteTotals> {
    await this.#settle(this.#writeTail());
    await this.#settle(Promise.all(this.#inFlight));
    this.#zeros.flush();
    await this.#settle(this.#extendFile());
    await this.#settle(this.#target.buffered.sync());
    // A disk in use or without partitions refuses. The image is written nevertheless.
    rereadPartitionTable(this.#target.buffered.fd);
    return { bytes: this.#position, zeroBytes: this.#zeros.totalBytes };
  }

  /**
   * Waits for the disk, unless the action was stopped. In that case the files are closed when the disk has
   * answered.
   */
  async close(): Promise<void> {
    const closed = this.#closeFiles();
    await Promise.race([closed, this.#stopped]);
    closed.catch(() => undefined);
  }

  async #closeFiles(): Promise<void> {
    await Promise.all(this.#inFlight);
    const { direct, buffered } = this.#target;
    const closed = await Promise.allSettled([direct.close(), buffered.close()]);
    for (const one of closed) if (one.status === 'rejected') throw one.reason;
  }

  /** Throws an error that has occurred meanwhile, or when the action was stopped. */
  async #settle(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#stopped]);
    work.catch(() => undefined);
    if (this.#failure !== undefined) throw this.#explain(this.#failure);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #nextFree(): Promise<Buffer> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#explain(this.#failure);
      const buffer = this.#free.pop();
      if (buffer !== undefined) return buffer;
      await Promise.race([...this.#inFlight, this.#stopped]);
    }
  }

  /** Passes a filled buffer to the disk. */
  #submit(buffer: Buffer): void {
    const at = this.#position;
    const length = this.#filled;
    this.#position += length;
    this.#filled = 0;
    this.#current = undefined;
    const done = this.#writeBuffer(buffer.subarray(0, length), at)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#inFlight.delete(done);
        this.#free.push(buffer);
      });
    this.#inFlight.add(done);
  }

  async #writeBuffer(buffer: Buffer, at: number): Promise<void> {
    this.#assertFits(at + buffer.length);
    const data = splitZeros(buffer).filter(
      (part) => !part.zero || !this.#zeros.add(at + part.start, part.end - part.start),
    );
    await Promise.all(
      data.map(({ start, end }) => writeFully(this.#target.direct, buffer.subarray(start, end), at + start)),
    );
  }

  /** The end of an image may not be a multiple of a block. That part goes through the page cache. */
  async #writeTail(): Promise<void> {
    const buffer = this.#current;
    if (buffer === undefined || this.#filled === 0) return;
    const aligned = this.#filled - (this.#filled % DIRECT_ALIGNMENT_BYTES);
    const tail = Buffer.from(buffer.subarray(aligned, this.#filled));
    this.#filled = aligned;
    if (aligned > 0) this.#submit(buffer);
    if (tail.length === 0) return;
    try {
      this.#assertFits(this.#position + tail.length);
      await writeFully(this.#target.buffered, tail, this.#position);
    } catch (error) {
      throw this.#explain(error);
    }
    this.#position += tail.length;
  }

  #assertFits(end: number): void {
    const { sizeBytes } = this.#target;
    if (sizeBytes !== undefined && end > sizeBytes) throw new NoSpace();
  }

  /** A file that ends in unsent zeros must still get its full length. */
  async #extendFile(): Promise<void> {
    const { buffered } = this.#target;
    const info = await buffered.stat();
    if (info.isFile() && info.size < this.#position) await buffered.truncate(this.#position);
  }

  #explain(error: unknown): Error {
    if (error instanceof ActionError) return error;
    const { path, sizeBytes } = this.#target;
    if (error instanceof NoSpace || codeOf(error) === 'ENOSPC') {
      const size = sizeBytes === undefined ? '' : ` (${formatBytes(sizeBytes)})`;
      return new ActionError(`the image is larger than ${path}${size}: choose a larger disk in DEST_DISK`);
    }
    const text = messageOf(error);
    return new ActionError(`cannot write to ${path}: ${text}`, { cause: error });
  }
}

async function openDirect(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR | constants.O_DIRECT);
  } catch (cause) {
    // Some file systems, but no block devices, do not support direct writes.
    if (codeOf(cause) === 'EINVAL') return open(path, 'r+');
    const text = messageOf(cause);
    throw new ActionError(`cannot open DEST_DISK=${path}: ${text}`, { cause });
  }
}
