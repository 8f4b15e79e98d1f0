import { alignUp, alignmentSectors, type Geometry } from './disk.ts';
import { PartitionTableError } from './table-error.ts';

/** A whole number of sectors, or `rest`: up to the end of the disk, for the last partition only. */
export type WantedSize = number | 'rest';

export interface Extent {
  readonly firstSector: number;
  readonly lastSector: number;
}

/** The sectors that partitions may use, both inclusive. */
interface Usable extends Extent {
  readonly geometry: Geometry;
}

/**
 * Places partitions one after the other, each start at a multiple of 1 MiB. Throws a `PartitionTableError` that names the
 * first one that does not fit.
 */
export function placePartitions(sizes: readonly WantedSize[], usable: Usable): readonly Extent[] {
  const alignment = alignmentSectors(usable.geometry);
  let next = alignUp(usable.firstSector, alignment);
  return sizes.map((size, index) => {
    const field = `partitions[${index}].size`;
    const firstSector = next;
    if (size === 'rest') {
      if (index < sizes.length - 1)
        throw new PartitionTableError(field, 'only the last partition may use the rest of the disk');
      return inside({ firstSector, lastSector: restEnd(usable, alignment) }, usable, field);
    }
    if (!Number.isSafeInteger(size) || size < 1)
      throw new PartitionTableError(field, `${size} is not a whole number of sectors above 0`);
    const extent = inside({ firstSector, lastSector: firstSector + size - 1 }, usable, field);
    next = alignUp(extent.lastSector + 1, alignment);
    return extent;
  });
}

/** The end is aligned too, so that encryption and other layers see whole blocks. */
function restEnd(usable: Usable, alignment: number): number {
  return Math.floor((usable.lastSector + 1) / alignment) * alignment - 1;
}

function inside(extent: Extent, usable: Usable, field: string): Extent {
  const { firstSector, lastSector } = extent;
  const room = Math.max(usable.lastSector - firstSector + 1, 0);
  if (lastSector >= firstSector && lastSector <= usable.lastSector) return extent;
  const wanted = lastSector >= firstSector ? `${lastSector - firstSector + 1} sectors` : 'a partition';
  throw new PartitionTableError(
    field,
    `${wanted} from sector ${firstSector} do not fit: the disk has room for ${room} there. Make partitions smaller or choose a larger disk`,
  );
}
