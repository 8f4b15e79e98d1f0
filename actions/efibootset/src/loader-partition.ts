import { ActionError, readTableOf } from '@tinkerbell/action-kit';
import type { LoaderPath } from '@tinkerbell/efi-boot';
import { partitionTypes } from '@tinkerbell/gpt';

/**
 * Finds the partition in the GPT of a disk.
 *
 * @throws ActionError when the disk has no GPT, or the partition is not an EFI system partition.
 */
export async function findPartition(disk: string, number: number): Promise<LoaderPath['partition']> {
  const table = await readTableOf(disk);
  if (table.kind !== 'gpt') throw new ActionError(`${disk} has no GPT, which UEFI needs: partition it first`);
  const found = table.table.partitions.find((partition) => partition.number === number);
  if (found?.type !== partitionTypes['efi-system']) {
    const known = table.table.partitions.filter(({ type }) => type === partitionTypes['efi-system']);
    const names = known.map((partition) => partition.number).join(', ') || 'no such partition';
    const what = found === undefined ? 'does not exist' : 'is not an EFI system partition';
    throw new ActionError(`BOOT_PARTITION=${number} ${what}: ${disk} has ${names}`);
  }
  const { id, firstSector, lastSector } = found;
  return { number, id, firstSector, sectors: lastSector - firstSector + 1 };
}
