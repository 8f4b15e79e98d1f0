import { assertGeometry, readSectors, type DiskSource } from './disk.ts';
import { decodeEntries } from './gpt-entries.ts';
import { assertCrc, decodeHeader, entrySectors, hasGptSignature, type GptHeader } from './gpt-header.ts';
import { assertTable, type GptTable } from './gpt-table.ts';
import type { MbrTable } from './mbr-table.ts';
import { mbrTypes } from './partition-kind.ts';
import { mbrEntries, readMbr } from './read-mbr.ts';
import { PartitionTableError } from './table-error.ts';

export type PartitionTable =
  | { readonly kind: 'none' }
  | { readonly kind: 'mbr'; readonly table: MbrTable }
  | {
      readonly kind: 'gpt';
      readonly table: GptTable;
      readonly copy: 'primary' | 'backup';
      /** What is wrong with the other copy, or with both together. The table is valid. */
      readonly problems: readonly string[];
    };

interface Copy {
  readonly header: GptHeader;
  readonly table: GptTable;
}

type CopyResult = Copy | { readonly error: PartitionTableError };

/**
 * Reads the table of a whole disk. A GPT with one damaged copy is read from the other, and `problems` has the reason. Throws
 * a `PartitionTableError` when both are damaged, or an MBR is invalid.
 */
export async function readPartitionTable(disk: DiskSource): Promise<PartitionTable> {
  assertGeometry(disk);
  if (disk.sectors < 2) return { kind: 'none' };
  const start = await readSectors(disk, 0, 1);
  const entries = mbrEntries(start);
  const primary = await tryCopy(disk, 1);
  const isProtected = entries?.some(({ type }) => type === mbrTypes['gpt-protective']) ?? false;
  // An MBR that was written over a GPT leaves the old headers behind.
  if (entries?.some(({ type }) => type !== mbrTypes.empty) === true && !isProtected)
    return { kind: 'mbr', table: await readMbr(disk, start, entries) };
  const backup = await tryCopy(disk, backupSector(disk, primary));
  if (!isProtected && 'error' in primary && 'error' in backup) {
    const isGpt = hasGptSignature(await readSectors(disk, 1, 1));
    return isGpt ? chosen(primary, backup) : emptyTable(entries !== undefined, disk, start);
  }
  const { problems, ...rest } = chosen(primary, backup);
  return {
    ...rest,
    problems: isProtected ? problems : ['the protective MBR is missing', ...problems],
  };
}

async function emptyTable(hasMbr: boolean, disk: DiskSource, start: Uint8Array): Promise<PartitionTable> {
  return hasMbr ? { kind: 'mbr', table: await readMbr(disk, start, []) } : { kind: 'none' };
}

/** At the end of the disk, unless the disk has grown since. */
function backupSector(disk: DiskSource, primary: CopyResult): number {
  const last = disk.sectors - 1;
  if ('error' in primary) return last;
  return primary.header.otherSector > 1 ? Math.min(primary.header.otherSector, last) : last;
}

async function tryCopy(disk: DiskSource, sector: number): Promise<CopyResult> {
  try {
    const header = decodeHeader(await readSectors(disk, sector, 1), sector, disk);
    const sectors = await readSectors(disk, header.entriesSector, entrySectors(header, disk));
    const entries = sectors.subarray(0, header.entryCount * header.entryBytes);
    assertCrc('entries CRC', header.entriesCrc, entries);
    const partitions = decodeEntries(entries, header.entryBytes);
    const table = { diskId: header.diskId, entryCount: header.entryCount, partitions };
    assertTable(table, header.usable);
    return { header, table };
  } catch (error) {
    if (error instanceof PartitionTableError) return { error };
    throw error;
  }
}

function chosen(primary: CopyResult, backup: CopyResult): PartitionTable & { readonly kind: 'gpt' } {
  if ('error' in primary) {
    if ('error' in backup)
      throw new PartitionTableError(
        'GPT',
        `both copies are damaged: primary ${primary.error.message}; backup ${backup.error.message}`,
      );
    const problems = [`primary ${primary.error.message}: the backup is used`];
    return { kind: 'gpt', table: backup.table, copy: 'backup', problems };
  }
  const problem = backupProblem(primary, backup);
  return {
    kind: 'gpt',
    table: primary.table,
    copy: 'primary',
    problems: problem === undefined ? [] : [problem],
  };
}

function backupProblem(primary: Copy, backup: CopyResult): string | undefined {
  if ('error' in backup) return `backup ${backup.error.message}`;
  const same =
    primary.header.entriesCrc === backup.header.entriesCrc && primary.header.diskId === backup.header.diskId;
  return same ? undefined : 'the backup is of another table';
}
