import { readSectors, type DiskSource } from './disk.ts';
import {
  ACTIVE,
  DISK_ID_OFFSET,
  ENTRIES_OFFSET,
  MBR_ENTRY_BYTES,
  PRIMARY_COUNT,
  SIGNATURE_OFFSET,
  type MbrPartition,
  type MbrTable,
} from './mbr-table.ts';
import { mbrTypes } from './partition-kind.ts';
import { PartitionTableError } from './table-error.ts';

const EXTENDED_TYPES: readonly number[] = [
  mbrTypes.extended,
  mbrTypes['extended-lba'],
  mbrTypes['linux-extended'],
];
/** Linux shows no more partitions of one disk, and a chain of tables may be endless. */
const LOGICAL_MAX = 251;

interface Entry {
  readonly status: number;
  readonly type: number;
  readonly start: number;
  readonly count: number;
}

/** Returns undefined when the sector has no table, or is the boot sector of a file system. */
export function mbrEntries(sector: Uint8Array): readonly Entry[] | undefined {
  if (sector[SIGNATURE_OFFSET] !== 0x55 || sector[SIGNATURE_OFFSET + 1] !== 0xaa) return undefined;
  const view = new DataView(sector.buffer, sector.byteOffset, sector.byteLength);
  const entries = Array.from({ length: PRIMARY_COUNT }, (_, index) => {
    const at = ENTRIES_OFFSET + index * MBR_ENTRY_BYTES;
    return {
      status: view.getUint8(at),
      type: view.getUint8(at + 4),
      start: view.getUint32(at + 8, true),
      count: view.getUint32(at + 12, true),
    };
  });
  // Boot code or text is there instead.
  return entries.every(({ status }) => status === 0 || status === ACTIVE) ? entries : undefined;
}

/** Throws a `PartitionTableError` that names the partition which is damaged. */
export async function readMbr(
  disk: DiskSource,
  sector: Uint8Array,
  entries: readonly Entry[],
): Promise<MbrTable> {
  const lastSector = disk.sectors - 1;
  const primary = entries.flatMap((entry, index) =>
    isUsed(entry) ? [partitionAt(entry, { number: index + 1, base: 0, lastSector })] : [],
  );
  const extended = primary.find(({ type }) => EXTENDED_TYPES.includes(type));
  const partitions = [...primary, ...(extended === undefined ? [] : await readLogical(disk, extended))];
  assertApart(partitions);
  const view = new DataView(sector.buffer, sector.byteOffset, sector.byteLength);
  return { diskId: view.getUint32(DISK_ID_OFFSET, true), partitions };
}

function isUsed({ type, count }: Entry): boolean {
  return type !== mbrTypes.empty && count > 0;
}

function partitionAt(
  { status, type, start, count }: Entry,
  at: { readonly number: number; readonly base: number; readonly lastSector: number },
): MbrPartition {
  const firstSector = at.base + start;
  const lastSector = firstSector + count - 1;
  if (start === 0 || lastSector > at.lastSector)
    throw new PartitionTableError(
      `partition ${at.number}`,
      `sectors ${firstSector} to ${lastSector} are not within ${at.base + 1} to ${at.lastSector}`,
    );
  return { number: at.number, type, active: status === ACTIVE, firstSector, lastSector };
}

/** Follows the chain of tables in the extended partition. Each has one logical partition and the next table. */
async function readLogical(disk: DiskSource, extended: MbrPartition): Promise<readonly MbrPartition[]> {
  const logical: MbrPartition[] = [];
  let next: number | undefined = extended.firstSector;
  for (let hop = 0; next !== undefined; hop += 1) {
    const number = PRIMARY_COUNT + 1 + logical.length;
    const field = `partition ${number}`;
    const table: number = next;
    const entries = mbrEntries(await readSectors(disk, table, 1));
    if (entries === undefined)
      throw new PartitionTableError(field, `sector ${table} has no table of a logical partition`);
    const [own, link] = entries;
    if (own !== undefined && isUsed(own))
      logical.push(partitionAt(own, { number, base: table, lastSector: extended.lastSector }));
    next = link !== undefined && isUsed(link) ? extended.firstSector + link.start : undefined;
    if (next !== undefined && (next <= table || next > extended.lastSector))
      throw new PartitionTableError(field, `its table leads from sector ${table} to ${next}`);
    if (hop >= LOGICAL_MAX)
      throw new PartitionTableError(field, `has more than ${LOGICAL_MAX} tables before it`);
  }
  return logical;
}

/** An extended partition contains its logical ones. All others must not overlap. */
function assertApart(partitions: readonly MbrPartition[]): void {
  const real = partitions.filter(({ type }) => !EXTENDED_TYPES.includes(type));
  let previous: MbrPartition | undefined;
  for (const partition of real.toSorted((one, other) => one.firstSector - other.firstSector)) {
    if (previous !== undefined && partition.firstSector <= previous.lastSector)
      throw new PartitionTableError(`partition ${partition.number}`, `overlaps partition ${previous.number}`);
    previous = partition;
  }
}
