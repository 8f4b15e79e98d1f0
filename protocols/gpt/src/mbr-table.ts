/** The MBR of UEFI 2.10 section 5.2: four partitions in the first sector of the disk. */
import { assertGeometry, type DiskWrite, type Geometry } from './disk.ts';
import { mbrTypes } from './partition-kind.ts';
import { placePartitions, type Extent, type WantedSize } from './place-partitions.ts';
import { PartitionTableError } from './table-error.ts';

export interface MbrPartition extends Extent {
  /** 1 to 4, and from 5 for a logical partition. */
  readonly number: number;
  /** One byte: see `mbrTypes`. */
  readonly type: number;
  /** A BIOS boots from it. */
  readonly active: boolean;
}

export interface MbrTable {
  /** 32 bits, with which Linux builds the PARTUUID. */
  readonly diskId: number;
  /** In the order of their numbers. */
  readonly partitions: readonly MbrPartition[];
}

export interface MbrRequest {
  readonly geometry: Geometry;
  readonly diskId: number;
  readonly partitions: readonly {
    readonly type: number;
    readonly active?: boolean;
    readonly size: WantedSize;
  }[];
}

export const PRIMARY_COUNT = 4;
export const ENTRIES_OFFSET = 446;
export const MBR_ENTRY_BYTES = 16;
export const SIGNATURE_OFFSET = 510;
export const DISK_ID_OFFSET = 440;
export const ACTIVE = 0x80;
const SECTOR_MAX = 0xffff_ffff;
/** The geometry that every BIOS reports for a disk of today. */
const HEADS = 255;
const SECTORS_PER_TRACK = 63;
const CYLINDERS_MAX = 1023;
/** Head 254, sector 63, cylinder 1023: beyond what CHS can express. */
const CHS_MAX = [0xfe, 0xff, 0xff] as const;

/** Returns a table with up to four primary partitions in this order. Throws a `PartitionTableError` that names the field. */
export function planMbr({ geometry, diskId, partitions }: MbrRequest): MbrTable {
  assertGeometry(geometry);
  if (partitions.length > PRIMARY_COUNT)
    throw new PartitionTableError(
      'partitions',
      `an MBR has at most ${PRIMARY_COUNT}, not ${partitions.length}: use a GPT`,
    );
  const lastSector = Math.min(geometry.sectors, SECTOR_MAX) - 1;
  const sizes = partitions.map(({ size }) => size);
  const extents = placePartitions(sizes, { geometry, firstSector: 1, lastSector });
  return {
    diskId,
    partitions: partitions.map(({ type, active = false }, index) => ({
      number: index + 1,
      type,
      active,
      firstSector: extents[index]?.firstSector ?? 0,
      lastSector: extents[index]?.lastSector ?? 0,
    })),
  };
}

/** Covers the whole disk, so that tools without GPT see no free space. */
export function protectiveMbr({ sectors }: Geometry): MbrTable {
  const lastSector = Math.min(sectors - 1, SECTOR_MAX);
  const type = mbrTypes['gpt-protective'];
  return { diskId: 0, partitions: [{ number: 1, type, active: false, firstSector: 1, lastSector }] };
}

/**
 * Returns the first sector. Its boot code is the first 440 bytes of what is given. Throws a `PartitionTableError` for a table
 * that an MBR cannot hold.
 */
export function encodeMbr(
  table: MbrTable,
  geometry: Geometry,
  bootCode: Uint8Array = new Uint8Array(),
): readonly DiskWrite[] {
  assertGeometry(geometry);
  const bytes = new Uint8Array(geometry.sectorBytes);
  // The identifier of the disk is behind it.
  bytes.set(bootCode.subarray(0, DISK_ID_OFFSET));
  const view = new DataView(bytes.buffer);
  view.setUint32(DISK_ID_OFFSET, table.diskId, true);
  for (const partition of table.partitions) {
    assertPartition(partition, geometry);
    const { firstSector, lastSector } = partition;
    const at = ENTRIES_OFFSET + (partition.number - 1) * MBR_ENTRY_BYTES;
    bytes[at] = partition.active ? ACTIVE : 0;
    bytes.set(chsOf(firstSector), at + 1);
    bytes[at + 4] = partition.type;
    // UEFI requires this end for a protective partition that covers more than CHS can express.
    bytes.set(chsOf(lastSector), at + 5);
    view.setUint32(at + 8, firstSector, true);
    view.setUint32(at + 12, lastSector - firstSector + 1, true);
  }
  bytes[SIGNATURE_OFFSET] = 0x55;
  bytes[SIGNATURE_OFFSET + 1] = 0xaa;
  return [{ offset: 0, bytes }];
}

function assertPartition(partition: MbrPartition, { sectors }: Geometry): void {
  const { number, type, firstSector, lastSector } = partition;
  const field = `partition ${number}`;
  if (!Number.isInteger(number) || number < 1 || number > PRIMARY_COUNT)
    throw new PartitionTableError(field, `only ${PRIMARY_COUNT} primary partitions can be written`);
  if (!Number.isInteger(type) || type < 1 || type > 0xff)
    throw new PartitionTableError(`${field}.type`, `${type} is not a byte above 0`);
  const end = Math.min(sectors - 1, SECTOR_MAX);
  if (firstSector < 1 || lastSector < firstSector || lastSector > end)
    throw new PartitionTableError(
      field,
      `sectors ${firstSector} to ${lastSector} are not within 1 to ${end}`,
    );
}

/** Three bytes: head, sector with the high bits of the cylinder, cylinder. */
function chsOf(sector: number): readonly number[] {
  const cylinder = Math.floor(sector / (HEADS * SECTORS_PER_TRACK));
  if (cylinder > CYLINDERS_MAX) return CHS_MAX;
  const head = Math.floor(sector / SECTORS_PER_TRACK) % HEADS;
  return [head, (sector % SECTORS_PER_TRACK) + 1 + ((cylinder >> 8) << 6), cylinder & 0xff];
}
