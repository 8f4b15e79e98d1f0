import type { FileHandle } from 'node:fs/promises';

import type { DiskWrite } from '@tinkerbell/gpt';

/** Repeats a short write until all bytes are written. */
export async function writeFully(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
}

/** Each write is on the disk before the next, so that a power cut leaves one whole copy of a partition table. */
export async function writeInOrder(file: FileHandle, writes: readonly DiskWrite[]): Promise<void> {
  for (const { offset, bytes } of writes) {
    await writeFully(file, bytes, offset);
    await file.sync();
  }
}
