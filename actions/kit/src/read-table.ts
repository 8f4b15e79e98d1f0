import { open } from 'node:fs/promises';

import { PartitionTableError, readPartitionTable, type PartitionTable } from '@tinkerbell/gpt';

import { ActionError } from './action-error.ts';
import { assertBlockDevice, deviceSize, sectorSize } from './block-device.ts';

/** @throws ActionError when the disk is absent, or its table is damaged. */
export async function readTableOf(disk: string): Promise<PartitionTable> {
  await assertBlockDevice(disk);
  const sectorBytes = await sectorSize(disk);
  const sectors = Math.floor(((await deviceSize(disk)) ?? 0) / sectorBytes);
  await using file = await open(disk, 'r');
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  try {
    return await readPartitionTable({ sectorBytes, sectors, read });
  } catch (cause) {
    if (!(cause instanceof PartitionTableError)) throw cause;
    throw new ActionError(`the partition table of ${disk} is damaged: ${cause.message}`, { cause });
  }
}
