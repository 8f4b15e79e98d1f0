/** Decides what partition table a disk gets. */
import { ActionError } from '@tinkerbell/action-kit';
import {
  encodeGpt,
  encodeMbr,
  mbrTypes,
  PartitionTableError,
  planGpt,
  planMbr,
  type DiskWrite,
  type Geometry,
  type Guid,
  type PartitionTypeName,
  type WantedSize,
} from '@tinkerbell/gpt';

import type { LayoutDisk } from './disk-layout.ts';

/** Sizes in the metadata count sectors of this size, also for disks with larger ones. */
const SIZE_UNIT_BYTES = 512;

/** As upstream's. Every other label is a Linux file system. */
const GPT_TYPES: Readonly<Record<string, PartitionTypeName>> = {
  SWAP: 'linux-swap',
  BIOS: 'bios-boot',
  EFI: 'efi-system',
};

const MBR_TYPES: Readonly<Record<string, number>> = {
  SWAP: mbrTypes['linux-swap'],
  FAT32: mbrTypes.fat32,
  FAT32_ACTIVE: mbrTypes.fat32,
};

export interface TableRequest {
  readonly disk: LayoutDisk;
  readonly geometry: Geometry;
  readonly kind: 'gpt' | 'mbr';
  /** Returns a new random GUID. */
  readonly newId: () => Guid;
}

/**
 * Returns what to write. The first partition starts at 1 MiB (sector 2048 of 512 bytes), and each other one
 * directly behind, at the next MiB. A partition has exactly the sectors of its size. (Upstream's have one
 * more in a GPT, so that all but the first are not aligned.)
 *
 * @throws ActionError that names the disk and the field.
 */
export function planTable(request: TableRequest): readonly DiskWrite[] {
  const { disk, geometry, kind } = request;
  try {
    assertNumbers(disk);
    return kind === 'gpt' ? gptWrites(request) : mbrWrites(request);
  } catch (cause) {
    if (!(cause instanceof PartitionTableError)) throw cause;
    const size = `${geometry.sectors} sectors of ${geometry.sectorBytes} bytes`;
    throw new ActionError(`cannot partition ${disk.device} (${size}): ${cause.message}`, { cause });
  }
}

/** Upstream skips a partition that is out of order, and formats the wrong one later. */
function assertNumbers({ partitions }: LayoutDisk): void {
  for (const [index, { number }] of partitions.entries())
    if (number !== index + 1)
      throw new PartitionTableError(`partitions[${index}].number`, `is ${number} and must be ${index + 1}`);
}

function gptWrites({ disk, geometry, newId }: TableRequest): readonly DiskWrite[] {
  const table = planGpt({
    geometry,
    diskId: newId(),
    partitions: disk.partitions.map(({ label, size }) => ({
      name: label,
      type: Object.hasOwn(GPT_TYPES, label) ? (GPT_TYPES[label] ?? 'linux-filesystem') : 'linux-filesystem',
      id: newId(),
      size: sectorsOf(size, geometry),
    })),
  });
  return encodeGpt(table, geometry);
}

/** The headers of an earlier GPT are overwritten, so that no tool finds two tables. */
function mbrWrites({ disk, geometry, newId }: TableRequest): readonly DiskWrite[] {
  const table = planMbr({
    geometry,
    diskId: Number.parseInt(newId().slice(0, 8), 16),
    partitions: disk.partitions.map(({ label, size }) => ({
      type: Object.hasOwn(MBR_TYPES, label) ? (MBR_TYPES[label] ?? 0) : mbrTypes['linux-filesystem'],
      active: label.endsWith('_ACTIVE'),
      size: sectorsOf(size, geometry),
    })),
  });
  const { sectorBytes, sectors } = geometry;
  const empty = new Uint8Array(sectorBytes);
  return [
    { offset: (sectors - 1) * sectorBytes, bytes: empty },
    { offset: sectorBytes, bytes: empty },
    ...encodeMbr(table, geometry),
  ];
}

function sectorsOf(size: number, { sectorBytes }: Geometry): WantedSize {
  return size === 0 ? 'rest' : Math.ceil((size * SIZE_UNIT_BYTES) / sectorBytes);
}
