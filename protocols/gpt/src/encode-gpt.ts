import { crc32 } from './crc32.ts';
import { assertGeometry, type DiskWrite, type Geometry } from './disk.ts';
import { encodeEntries } from './gpt-entries.ts';
import { encodeHeader } from './gpt-header.ts';
import { assertTable, ENTRY_BYTES, usableSectors, type GptTable } from './gpt-table.ts';
import { encodeMbr, protectiveMbr } from './mbr-table.ts';

/**
 * Returns what to write, in this order: the backup, then the primary entries and header, then the protective MBR (UEFI 2.10
 * section 5.2.3). After a power cut the disk then has a whole copy of the old table or of the new one. Throws a
 * `PartitionTableError` for a table that does not suit the disk.
 *
 * `bootCode` is what BIOS firmware starts: the first bytes of a disk that keeps its loader. Without it, the disk has none.
 */
export function encodeGpt(
  table: GptTable,
  geometry: Geometry,
  bootCode: Uint8Array = new Uint8Array(),
): readonly DiskWrite[] {
  assertGeometry(geometry);
  const usable = usableSectors(geometry, table.entryCount);
  assertTable(table, usable);
  const { sectorBytes, sectors } = geometry;
  const entries = encodeEntries(table);
  const shared = {
    usable,
    diskId: table.diskId,
    entryCount: table.entryCount,
    entryBytes: ENTRY_BYTES,
    entriesCrc: crc32(entries),
  };
  const whole = new Uint8Array(Math.ceil(entries.length / sectorBytes) * sectorBytes);
  whole.set(entries);
  const backup = {
    ...shared,
    ownSector: sectors - 1,
    otherSector: 1,
    entriesSector: usable.lastSector + 1,
  };
  const primary = { ...shared, ownSector: 1, otherSector: sectors - 1, entriesSector: 2 };
  return [
    { offset: backup.entriesSector * sectorBytes, bytes: whole },
    { offset: backup.ownSector * sectorBytes, bytes: encodeHeader(backup, geometry) },
    { offset: primary.entriesSector * sectorBytes, bytes: whole },
    { offset: sectorBytes, bytes: encodeHeader(primary, geometry) },
    ...encodeMbr(protectiveMbr(geometry), geometry, bootCode),
  ];
}
