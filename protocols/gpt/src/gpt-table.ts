import { assertGeometry, type Geometry } from './disk.ts';
import { NO_GUID, type Guid } from './guid.ts';
import { partitionTypes, type PartitionTypeName } from './partition-kind.ts';
import { placePartitions, type Extent, type WantedSize } from './place-partitions.ts';
import { PartitionTableError } from './table-error.ts';

/** UEFI 2.10 table 5-8. */
export interface GptAttributes {
  /** Bit 0: the machine does not work without this partition. */
  readonly required?: boolean;
  /** Bit 1: firmware must not look into it. */
  readonly noBlockIo?: boolean;
  /** Bit 2: a legacy BIOS may boot from it. syslinux needs this. */
  readonly legacyBootable?: boolean;
  /** Bits 48 to 63, whose meaning depends on the type. */
  readonly typeSpecific?: number;
}

export interface GptPartition extends Extent {
  /** From 1, the place in the table. */
  readonly number: number;
  readonly type: Guid;
  readonly id: Guid;
  readonly name: string;
  readonly attributes: GptAttributes;
}

export interface GptTable {
  readonly diskId: Guid;
  /** Places for partitions. */
  readonly entryCount: number;
  /** In the order of their numbers. */
  readonly partitions: readonly GptPartition[];
}

/** The number of every current tool. The specification reserves 16 KiB, which is this many entries of 128 bytes. */
export const ENTRY_COUNT = 128;
export const ENTRY_BYTES = 128;
/** UTF-16 units of a name. */
export const NAME_UNITS_MAX = 36;

export interface GptRequest {
  readonly geometry: Geometry;
  readonly diskId: Guid;
  readonly partitions: readonly {
    readonly name: string;
    readonly type: PartitionTypeName | Guid;
    /** Unique, so that a boot loader finds this partition. */
    readonly id: Guid;
    readonly size: WantedSize;
    readonly attributes?: GptAttributes;
  }[];
}

/** The first and the last sector that partitions may use, between the two copies of the table. */
export function usableSectors(geometry: Geometry, entryCount: number): Extent {
  const entrySectors = Math.ceil((entryCount * ENTRY_BYTES) / geometry.sectorBytes);
  return { firstSector: 2 + entrySectors, lastSector: geometry.sectors - 2 - entrySectors };
}

/** Returns a table with the partitions in this order, numbered from 1. Throws a `PartitionTableError` that names the field. */
export function planGpt(request: GptRequest): GptTable {
  const { geometry, diskId, partitions } = request;
  assertGeometry(geometry);
  if (partitions.length > ENTRY_COUNT)
    throw new PartitionTableError(
      'partitions',
      `a table has at most ${ENTRY_COUNT}, not ${partitions.length}`,
    );
  const usable = usableSectors(geometry, ENTRY_COUNT);
  const sizes = partitions.map(({ size }) => size);
  const extents = placePartitions(sizes, { geometry, ...usable });
  const table = {
    diskId,
    entryCount: ENTRY_COUNT,
    partitions: partitions.map(({ name, type, id, attributes }, index) => ({
      number: index + 1,
      type: isTypeName(type) ? partitionTypes[type] : type,
      id,
      name,
      attributes: attributes ?? {},
      firstSector: extents[index]?.firstSector ?? 0,
      lastSector: extents[index]?.lastSector ?? 0,
    })),
  };
  assertTable(table, usable);
  return table;
}

function isTypeName(type: string): type is PartitionTypeName {
  return Object.hasOwn(partitionTypes, type);
}

/** Throws a `PartitionTableError` for what UEFI 2.10 section 5.3 forbids, whether it was planned or read. */
export function assertTable(table: GptTable, usable: Extent): void {
  if (usable.lastSector < usable.firstSector)
    throw new PartitionTableError('sectors', 'the disk is too small for a GPT');
  const numbers = new Set<number>();
  const ids = new Set<Guid>();
  for (const partition of table.partitions) {
    assertPartition(partition, table.entryCount);
    const field = fieldOf(partition);
    if (numbers.has(partition.number)) throw new PartitionTableError(field, 'the number is used twice');
    if (ids.has(partition.id)) throw new PartitionTableError(`${field}.id`, `${partition.id} is used twice`);
    numbers.add(partition.number);
    ids.add(partition.id);
  }
  assertApart(table.partitions, usable);
}

function fieldOf({ number }: GptPartition): string {
  return `partition ${number}`;
}

function assertPartition(partition: GptPartition, entryCount: number): void {
  const field = fieldOf(partition);
  const { number, type, name, attributes } = partition;
  if (!Number.isInteger(number) || number < 1 || number > entryCount)
    throw new PartitionTableError(field, `the number must be from 1 to ${entryCount}`);
  if (type === NO_GUID) throw new PartitionTableError(`${field}.type`, 'is the type of an unused entry');
  if (name.length > NAME_UNITS_MAX || name.includes('\0'))
    throw new PartitionTableError(
      `${field}.name`,
      `must have at most ${NAME_UNITS_MAX} characters and no NUL`,
    );
  const { typeSpecific = 0 } = attributes;
  if (!Number.isInteger(typeSpecific) || typeSpecific < 0 || typeSpecific > 0xffff)
    throw new PartitionTableError(`${field}.attributes`, `${typeSpecific} does not fit 16 bits`);
}

function assertApart(partitions: readonly GptPartition[], usable: Extent): void {
  let previous: GptPartition | undefined;
  for (const partition of partitions.toSorted((one, other) => one.firstSector - other.firstSector)) {
    const field = fieldOf(partition);
    const { firstSector, lastSector } = partition;
    if (lastSector < firstSector)
      throw new PartitionTableError(
        field,
        `ends at sector ${lastSector}, before its start at ${firstSector}`,
      );
    if (firstSector < usable.firstSector || lastSector > usable.lastSector)
      throw new PartitionTableError(
        field,
        `sectors ${firstSector} to ${lastSector} are not within ${usable.firstSector} to ${usable.lastSector}`,
      );
    if (previous !== undefined && firstSector <= previous.lastSector)
      throw new PartitionTableError(field, `overlaps partition ${previous.number}`);
    previous = partition;
  }
}
