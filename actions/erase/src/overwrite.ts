import { createCipheriv, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

import {
  alignedBuffer,
  assertNotStopped,
  progressMeter,
  zeroOut,
  type ActionContext,
  writeFully,
} from '@tinkerbell/action-kit';

const PIECE_BYTES = 4 * 1024 * 1024;
const ENDS_BYTES = 1024 * 1024;
const PROGRESS_MS = 1000;
const KEY_BYTES = 16;

/**
 * Writes a random stream to the whole disk. The stream is AES-128-CTR under a key that is then forgotten: a disk
 * that compresses or joins equal blocks must store all of it.
 */
export async function overwrite(file: FileHandle, sizeBytes: number, context: ActionContext): Promise<void> {
  const cipher = createCipheriv('aes-128-ctr', randomBytes(KEY_BYTES), randomBytes(KEY_BYTES));
  const zeros = Buffer.alloc(PIECE_BYTES);
  const piece = alignedBuffer(PIECE_BYTES);
  const meter = progressMeter(PROGRESS_MS, context);
  meter.setTotal(sizeBytes);
  for (let offset = 0; offset < sizeBytes;) {
    assertNotStopped(context.signal);
    const length = Math.min(PIECE_BYTES, sizeBytes - offset);
    piece.set(cipher.update(zeros.subarray(0, length)));
    await writeFully(file, piece.subarray(0, length), offset);
    offset += length;
    meter.add(length);
  }
  // Random bytes could look like a partition table.
  const ends = Math.min(ENDS_BYTES, sizeBytes);
  const { signal } = context;
  await zeroOut(file, { offset: 0, length: ends, signal });
  await zeroOut(file, { offset: sizeBytes - ends, length: ends, signal });
  await file.sync();
}
