import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

import {
  ActionError,
  deviceSize,
  openWholeDisk,
  rereadPartitionTable,
  sectorSize,
  zeroOut,
  type ActionContext,
  writeInOrder,
} from '@tinkerbell/action-kit';
import { readGuid } from '@tinkerbell/gpt';

import type { LayoutDisk } from './disk-layout.ts';
import { planTable } from './plan-table.ts';

/** As upstream's. It covers boot loaders and the start of most file systems. */
const WIPE_START_BYTES = 1024 * 1024 * 1024;
/** The backup of a GPT, and the metadata of some RAID controllers. Upstream leaves these. */
const WIPE_END_BYTES = 1024 * 1024;

type Signal = Pick<ActionContext, 'signal' | 'log'>;

/** Writes a new table, whatever the disk has now. With `wipe`, zeros come first. */
export async function partitionDisk(disk: LayoutDisk, kind: 'gpt' | 'mbr', context: Signal): Promise<void> {
  await using file = await openWholeDisk(disk.device);
  const sectorBytes = await sectorSize(disk.device);
  const sizeBytes = await sizeOf(disk.device);
  const geometry = { sectorBytes, sectors: Math.floor(sizeBytes / sectorBytes) };
  const newId = () => readGuid(randomUUID(), 'id');
  // Planned first: a plan that does not fit must not cost the old content.
  const writes = planTable({ disk, geometry, kind, newId });
  if (disk.wipe) await wipeEnds(file, sizeBytes, context.signal);
  await writeInOrder(file, writes);
  const reread = rereadPartitionTable(file.fd);
  if (!reread.ok)
    context.log.warn('the kernel did not read the new partition table', {
      disk: disk.device,
      reason: reread.error,
    });
}

/** Writes zeros over the first GiB and the last MiB of a disk. */
export async function wipeDisk(device: string, context: Signal): Promise<void> {
  await using file = await openWholeDisk(device);
  await wipeEnds(file, await sizeOf(device), context.signal);
  rereadPartitionTable(file.fd);
}

async function sizeOf(device: string): Promise<number> {
  const size = await deviceSize(device);
  if (size === undefined) throw new ActionError(`${device} has no medium: its size is 0`);
  return size;
}

async function wipeEnds(file: FileHandle, sizeBytes: number, signal: AbortSignal): Promise<void> {
  const start = Math.min(WIPE_START_BYTES, sizeBytes);
  const endOffset = Math.max(sizeBytes - WIPE_END_BYTES, start);
  await zeroOut(file, { offset: 0, length: start, signal });
  await zeroOut(file, { offset: endOffset, length: sizeBytes - endOffset, signal });
  await file.sync();
}
