import { plainBytes } from '@tinkerbell/wire';

import { PartitionTableError } from './table-error.ts';

export interface Geometry {
  /** Bytes of a logical sector: 512 or 4096, and the powers of two between. */
  readonly sectorBytes: number;
  /** Sectors of the whole disk. */
  readonly sectors: number;
}

/** A disk to read from. `read` returns fewer bytes only at the end of the disk. */
export interface DiskSource extends Geometry {
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes that belong at an offset of the disk, which is a multiple of the sector. */
export interface DiskWrite {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Partitions start at multiples of this, as those of all current tools. It suits every flash page and RAID stripe. */
const ALIGNMENT_BYTES = 1024 * 1024;
const SECTOR_SIZES: readonly number[] = [512, 1024, 2048, 4096];

/** Throws a `PartitionTableError` for a sector size or a disk that no table describes. */
export function assertGeometry({ sectorBytes, sectors }: Geometry): void {
  if (!SECTOR_SIZES.includes(sectorBytes))
    throw new PartitionTableError('sectorBytes', `is ${sectorBytes}; it must be ${SECTOR_SIZES.join(', ')}`);
  if (!Number.isSafeInteger(sectors * sectorBytes) || sectors < 1)
    throw new PartitionTableError('sectors', `${sectors} is not the size of a disk`);
}

/** Sectors between two possible starts of a partition. */
export function alignmentSectors({ sectorBytes }: Geometry): number {
  return ALIGNMENT_BYTES / sectorBytes;
}

export function alignUp(sector: number, alignment: number): number {
  return Math.ceil(sector / alignment) * alignment;
}

/** Throws a `PartitionTableError` when the disk ends before. */
export async function readSectors(disk: DiskSource, firstSector: number, count: number): Promise<Uint8Array> {
  const length = count * disk.sectorBytes;
  const bytes = await disk.read(firstSector * disk.sectorBytes, length);
  if (bytes.length === length) return plainBytes(bytes);
  throw new PartitionTableError(
    `sector ${firstSector}`,
    `the disk returned ${bytes.length} of ${length} bytes`,
  );
}
