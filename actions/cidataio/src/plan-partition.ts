/** Decides where the partition goes. */
import type { Geometry, GptPartition, GptTable, Guid } from '@tinkerbell/gpt';
import { partitionTypes } from '@tinkerbell/gpt';

const MEBIBYTE = 1024 * 1024;
/** As upstream's. */
const SIZE_MIN_BYTES = 2 * MEBIBYTE;
/** Tables, directory and unfilled clusters. */
const OVERHEAD_BYTES = 256 * 1024;
/** cloud-init and Talos look for it in lower or upper case. */
export const LABEL = 'cidata';

export interface PlanRequest {
  readonly table: GptTable;
  readonly geometry: Geometry;
  /** Of the files together. */
  readonly contentBytes: number;
  readonly id: Guid;
}

export interface PartitionPlan {
  readonly table: GptTable;
  readonly partition: GptPartition;
  /** True for the one that an earlier run has created, which gets the new files. */
  readonly isReused: boolean;
}

/** Returns the reason when there is no room. */
export function planPartition(request: PlanRequest): PartitionPlan | { readonly error: string } {
  const { table, geometry } = request;
  const bytes = Math.max(SIZE_MIN_BYTES, request.contentBytes + OVERHEAD_BYTES);
  const sectors = (Math.ceil(bytes / MEBIBYTE) * MEBIBYTE) / geometry.sectorBytes;
  const existing = table.partitions.find(({ name }) => name === LABEL);
  if (existing !== undefined) {
    const has = existing.lastSector - existing.firstSector + 1;
    if (has >= sectors) return { table, partition: existing, isReused: true };
    return { error: `partition ${existing.number} named ${LABEL} is too small: write the image again` };
  }
  const number = freeNumber(table);
  if (number === undefined)
    return { error: `its table has no room: all ${table.entryCount} entries are used` };
  const firstSector = freeStart(request, sectors);
  if (firstSector === undefined)
    return {
      error: `${sectors} free sectors are needed behind its partitions: shrink one, or use a larger disk`,
    };
  const partition = {
    number,
    type: partitionTypes['microsoft-data'],
    id: request.id,
    name: LABEL,
    attributes: {},
    firstSector,
    lastSector: firstSector + sectors - 1,
  };
  const partitions = [...table.partitions, partition].toSorted((one, other) => one.number - other.number);
  return { table: { ...table, partitions }, partition, isReused: false };
}

function freeNumber({ partitions, entryCount }: GptTable): number | undefined {
  const used = new Set(partitions.map(({ number }) => number));
  for (let number = 1; number <= entryCount; number += 1) if (!used.has(number)) return number;
  return undefined;
}

/**
 * At the end of the disk, so that the last partition of the image can grow up to it. Another partition may be at the end:
 * then directly before it.
 */
function freeStart({ table, geometry }: PlanRequest, sectors: number): number | undefined {
  const alignment = MEBIBYTE / geometry.sectorBytes;
  const backupSectors = 1 + Math.ceil((table.entryCount * 128) / geometry.sectorBytes);
  let end = geometry.sectors - backupSectors;
  const fromEnd = table.partitions.toSorted((one, other) => other.firstSector - one.firstSector);
  const starts = [...fromEnd, undefined];
  for (const partition of starts) {
    const start = Math.floor((end - sectors) / alignment) * alignment;
    const previousEnd = partition?.lastSector ?? alignment - 1;
    if (start > previousEnd) return start;
    if (partition !== undefined) end = partition.firstSector;
  }
  return undefined;
}
