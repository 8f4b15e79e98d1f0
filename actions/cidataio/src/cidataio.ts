import { randomBytes, randomUUID } from 'node:crypto';

import {
  ActionError,
  defineAction,
  deviceSize,
  openWholeDisk,
  readTableOf,
  rereadPartitionTable,
  sectorSize,
  type ActionContext,
  writeInOrder,
} from '@tinkerbell/action-kit';
import { encodeGpt, readGuid } from '@tinkerbell/gpt';

import { fatImage } from './fat-image.ts';
import { LABEL, planPartition, type PartitionPlan } from './plan-partition.ts';
import { readSettings, type Settings } from './settings.ts';

/**
 * Adds a partition `cidata` with cloud-init's files to a disk. Upstream: the cidataio action. See `settings.ts` for the
 * variables.
 */
export const cidataioAction = defineAction('cidataio', async (environment, context) => {
  const settings = readSettings(environment);
  const { partition, isReused } = await addPartition(settings, context);
  const names = settings.files.map(({ name }) => name).join(', ');
  const what = isReused ? 'partition' : 'new partition';
  return { message: `wrote ${names} to ${what} ${partition.number} (${LABEL}) of ${settings.disk}` };
});

async function addPartition(settings: Settings, context: ActionContext): Promise<PartitionPlan> {
  const { disk, files } = settings;
  const found = await readTableOf(disk);
  if (found.kind !== 'gpt')
    throw new ActionError(`${disk} has no GPT: write an image with a GPT to it before, or use rootio`);
  const sectorBytes = await sectorSize(disk);
  const geometry = { sectorBytes, sectors: Math.floor(((await deviceSize(disk)) ?? 0) / sectorBytes) };
  const contentBytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const id = readGuid(randomUUID(), 'id');
  const plan = planPartition({ table: found.table, geometry, contentBytes, id });
  if ('error' in plan) throw new ActionError(`${disk} gets no partition ${LABEL}: ${plan.error}`);
  const { firstSector, lastSector } = plan.partition;
  const volumeId = randomBytes(4).readUInt32LE();
  const volume = { sectorBytes, sectors: lastSector - firstSector + 1, label: LABEL, volumeId, files };
  const bytes = fatImage(volume);
  if (bytes === undefined) throw new ActionError(`${disk}: the files do not fit partition ${LABEL}`);
  await using file = await openWholeDisk(disk);
  // The first sector also has the loader that a BIOS starts.
  const firstBytes = new Uint8Array(sectorBytes);
  await file.read(firstBytes, 0, sectorBytes, 0);
  // The table is last: a partition without its files must never appear.
  const writes = [
    { offset: firstSector * sectorBytes, bytes },
    ...encodeGpt(plan.table, geometry, firstBytes),
  ];
  await writeInOrder(file, writes);
  const reread = rereadPartitionTable(file.fd);
  if (!reread.ok)
    context.log.warn('the kernel did not read the new partition table', { disk, reason: reread.error });
  return plan;
}
