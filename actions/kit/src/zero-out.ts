import type { FileHandle } from 'node:fs/promises';
import { nextTurn } from '@tinkerbell/platform-contract';

import { assertNotStopped } from './stop-in-time.ts';
import { zeroRange } from './system-calls.ts';
import { writeFully } from './write-fully.ts';

/** The kernel zeroes only whole blocks of this size. */
const BLOCK_BYTES = 4096;
/** One request blocks this process, and a slow disk may really write the zeros. */
const REQUEST_BYTES = 64 * 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

export interface ZeroRequest {
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal;
  /** Default: on this thread, which waits for the device. */
  readonly ask?: AskForZeros;
}

/** Returns false when the device cannot zero a range by itself. */
export type AskForZeros = (range: {
  readonly descriptor: number;
  readonly offset: number;
  readonly length: number;
}) => Promise<boolean>;

/** Makes a range of a disk read as zeros, by request where the device supports that, and otherwise by writing. */
export async function zeroOut(file: FileHandle, request: ZeroRequest): Promise<void> {
  const end = request.offset + request.length;
  const first = Math.min(Math.ceil(request.offset / BLOCK_BYTES) * BLOCK_BYTES, end);
  const last = Math.max(Math.floor(end / BLOCK_BYTES) * BLOCK_BYTES, first);
  await writeZeros(file, { ...request, length: first - request.offset });
  for (let offset = first; offset < last; offset += REQUEST_BYTES) {
    assertNotStopped(request.signal);
    const length = Math.min(REQUEST_BYTES, last - offset);
    const range = { offset, length };
    const isZero = await (request.ask ?? askHere)({ descriptor: file.fd, ...range });
    if (!isZero) await writeZeros(file, { ...range, signal: request.signal });
    // Other work of this process continues between two requests.
    await nextTurn();
  }
  await writeZeros(file, { ...request, offset: last, length: end - last });
}

const askHere: AskForZeros = async ({ descriptor, ...range }) =>
  zeroRange(descriptor, range, 'deallocate').ok || zeroRange(descriptor, range, 'overwrite').ok;

async function writeZeros(file: FileHandle, { offset, length, signal }: ZeroRequest): Promise<void> {
  let done = 0;
  while (done < length) {
    assertNotStopped(signal);
    const piece = Math.min(length - done, ZEROS.length);
    await writeFully(file, ZEROS.subarray(0, piece), offset + done);
    done += piece;
  }
}
