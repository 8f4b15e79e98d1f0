import { createCipheriv } from 'node:crypto';

import {
  ActionError,
  alignedBuffer,
  assertNotStopped,
  deviceSize,
  openDiskReader,
  openWholeDisk,
  rereadPartitionTable,
  writeFully,
} from '@tinkerbell/action-kit';

const PIECE_BYTES = 1024 * 1024;
/** Written and then read back. Larger than the cache of a disk. */
const REGION_BYTES = 256 * PIECE_BYTES;

export interface DiskCheck {
  readonly disk: string;
  readonly signal: AbortSignal;
  /** True at the end of the time. At least one piece is checked before. */
  readonly isOver: () => boolean;
  readonly onBytes: (bytes: number) => void;
}

/** Reads the disk from its start to its end, again and again. @throws ActionError for a block that cannot be read. */
export async function readDisk({ disk, signal, isOver, onBytes }: DiskCheck): Promise<void> {
  const size = await sizeOf(disk);
  await using reader = await openDiskReader(disk);
  for (let offset = 0; ; offset = offset + PIECE_BYTES < size ? offset + PIECE_BYTES : 0) {
    assertNotStopped(signal);
    const wanted = Math.min(PIECE_BYTES, size - offset);
    const { length } = await reader.read(offset, wanted);
    if (length < wanted)
      throw new ActionError(`${disk} returned ${length} of ${wanted} bytes at byte ${offset}`);
    onBytes(length);
    if (isOver()) return;
  }
}

/** Overwrites the disk with a stream that depends on the offset, and reads each region back. */
export async function overwriteDisk(check: DiskCheck, key: Buffer): Promise<void> {
  const size = await sizeOf(check.disk);
  await using file = await openWholeDisk(check.disk);
  await using reader = await openDiskReader(check.disk);
  const piece = alignedBuffer(PIECE_BYTES);
  for (let region = 0; ; region = region + REGION_BYTES < size ? region + REGION_BYTES : 0) {
    const end = Math.min(region + REGION_BYTES, size);
    let at = region;
    for (; at < end; at += PIECE_BYTES) {
      assertNotStopped(check.signal);
      const length = Math.min(PIECE_BYTES, end - at);
      piece.set(patternAt(key, at).subarray(0, length));
      await writeFully(file, piece.subarray(0, length), at);
      if (check.isOver()) break;
    }
    await file.sync();
    const written = Math.min(at + PIECE_BYTES, end);
    for (let offset = region; offset < written; offset += PIECE_BYTES) {
      assertNotStopped(check.signal);
      const length = Math.min(PIECE_BYTES, written - offset);
      const found = await reader.read(offset, length);
      if (!found.equals(patternAt(key, offset).subarray(0, length)))
        throw new ActionError(`${check.disk} returned other bytes than were written near byte ${offset}`);
      check.onBytes(length);
    }
    if (check.isOver()) break;
  }
  rereadPartitionTable(file.fd);
}

const ZEROS = Buffer.alloc(PIECE_BYTES);
const BLOCK_BYTES = 16;

/** AES-128-CTR, whose counter is the offset: a disk that mixes up blocks is found, and none can be compressed. */
export function patternAt(key: Buffer, offset: number): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(offset / BLOCK_BYTES), 8);
  return createCipheriv('aes-128-ctr', key, counter).update(ZEROS);
}

async function sizeOf(disk: string): Promise<number> {
  const size = await deviceSize(disk);
  if (size === undefined) throw new ActionError(`${disk} has no medium: its size is 0`);
  return size;
}
