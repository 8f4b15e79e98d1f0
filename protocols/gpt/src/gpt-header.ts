/** The header of a GPT: UEFI 2.10 table 5-5. All numbers are little-endian. */
import { crc32 } from './crc32.ts';
import type { Geometry } from './disk.ts';
import { ENTRY_BYTES } from './gpt-table.ts';
import { guidFromBytes, guidToBytes, type Guid } from './guid.ts';
import type { Extent } from './place-partitions.ts';
import { PartitionTableError } from './table-error.ts';

export interface GptHeader {
  /** The sector of this header. */
  readonly ownSector: number;
  /** The sector of the other copy. */
  readonly otherSector: number;
  readonly usable: Extent;
  readonly diskId: Guid;
  readonly entriesSector: number;
  readonly entryCount: number;
  readonly entryBytes: number;
  readonly entriesCrc: number;
}

/** `EFI PART` */
const SIGNATURE = Uint8Array.of(0x45, 0x46, 0x49, 0x20, 0x50, 0x41, 0x52, 0x54);
const REVISION = 0x0001_0000;
const HEADER_BYTES = 92;
const CRC_OFFSET = 16;
/** Far above what tools write. It bounds the memory of a reader. */
const ENTRIES_BYTES_MAX = 1024 * 1024;
const ENTRY_BYTES_MAX = 4096;

export function hasGptSignature(sector: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => sector[index] === byte);
}

/** Returns a whole sector. */
export function encodeHeader(header: GptHeader, { sectorBytes }: Geometry): Uint8Array {
  const bytes = new Uint8Array(sectorBytes);
  const view = new DataView(bytes.buffer);
  bytes.set(SIGNATURE);
  view.setUint32(8, REVISION, true);
  view.setUint32(12, HEADER_BYTES, true);
  view.setBigUint64(24, BigInt(header.ownSector), true);
  view.setBigUint64(32, BigInt(header.otherSector), true);
  view.setBigUint64(40, BigInt(header.usable.firstSector), true);
  view.setBigUint64(48, BigInt(header.usable.lastSector), true);
  bytes.set(guidToBytes(header.diskId), 56);
  view.setBigUint64(72, BigInt(header.entriesSector), true);
  view.setUint32(80, header.entryCount, true);
  view.setUint32(84, header.entryBytes, true);
  view.setUint32(88, header.entriesCrc, true);
  view.setUint32(CRC_OFFSET, crc32(bytes.subarray(0, HEADER_BYTES)), true);
  return bytes;
}

/** Throws a `PartitionTableError` unless the header is valid at `ownSector` of a disk of this geometry. */
export function decodeHeader(sector: Uint8Array, ownSector: number, geometry: Geometry): GptHeader {
  if (!hasGptSignature(sector)) throw new PartitionTableError('signature', 'is not "EFI PART"');
  const view = new DataView(sector.buffer, sector.byteOffset, sector.byteLength);
  assertHeaderCrc(sector, view);
  const sectorAt = (offset: number, field: string): number => {
    const value = view.getBigUint64(offset, true);
    if (value < BigInt(geometry.sectors)) return Number(value);
    throw new PartitionTableError(field, `sector ${value} is beyond the disk of ${geometry.sectors} sectors`);
  };
  const own = sectorAt(24, 'own sector');
  if (own !== ownSector)
    throw new PartitionTableError('own sector', `is ${own}, and the header is at sector ${ownSector}`);
  const header = {
    ownSector,
    otherSector: otherSector(view),
    usable: {
      firstSector: sectorAt(40, 'first usable sector'),
      lastSector: sectorAt(48, 'last usable sector'),
    },
    diskId: guidFromBytes(sector, 56),
    entriesSector: sectorAt(72, 'sector of the entries'),
    entryCount: view.getUint32(80, true),
    entryBytes: view.getUint32(84, true),
    entriesCrc: view.getUint32(88, true),
  };
  assertEntries(header, geometry);
  return header;
}

/** The other copy may be where this disk has no sector, if the disk was larger. */
function otherSector(view: DataView): number {
  return Number(view.getBigUint64(32, true));
}

function assertHeaderCrc(sector: Uint8Array, view: DataView): void {
  const revision = view.getUint32(8, true);
  if (revision !== REVISION)
    throw new PartitionTableError('revision', `is 0x${revision.toString(16)}; only 0x10000 is supported`);
  const length = view.getUint32(12, true);
  if (length < HEADER_BYTES || length > sector.length)
    throw new PartitionTableError(
      'header size',
      `is ${length}; it must be ${HEADER_BYTES} to ${sector.length}`,
    );
  const covered = sector.slice(0, length);
  covered.fill(0, CRC_OFFSET, CRC_OFFSET + 4);
  assertCrc('header CRC', view.getUint32(CRC_OFFSET, true), covered);
}

export function assertCrc(field: string, stored: number, covered: Uint8Array): void {
  const actual = crc32(covered);
  if (actual === stored) return;
  throw new PartitionTableError(field, `is ${hex(stored)}, and the bytes have ${hex(actual)}`);
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}

/** The number of sectors of the entries. */
export function entrySectors(header: GptHeader, { sectorBytes }: Geometry): number {
  return Math.ceil((header.entryCount * header.entryBytes) / sectorBytes);
}

function assertEntries(header: GptHeader, geometry: Geometry): void {
  const { entryBytes, entryCount } = header;
  const isPowerOfTwo = (entryBytes & (entryBytes - 1)) === 0;
  if (!isPowerOfTwo || entryBytes < ENTRY_BYTES || entryBytes > ENTRY_BYTES_MAX)
    throw new PartitionTableError('entry size', `${entryBytes} is not ${ENTRY_BYTES} times a power of two`);
  if (entryCount < 1 || entryCount * entryBytes > ENTRIES_BYTES_MAX)
    throw new PartitionTableError(
      'entry count',
      `${entryCount} entries of ${entryBytes} bytes are not supported`,
    );
  assertOutside(header, geometry);
}

/** The sectors of partitions contain neither the header nor the entries. */
function assertOutside(header: GptHeader, geometry: Geometry): void {
  const { usable, entriesSector, ownSector } = header;
  if (usable.lastSector < usable.firstSector)
    throw new PartitionTableError('last usable sector', `${usable.lastSector} is before the first one`);
  const entriesEnd = entriesSector + entrySectors(header, geometry);
  const overlaps = entriesSector <= usable.lastSector && entriesEnd > usable.firstSector;
  if (entriesSector < 2 || entriesEnd > geometry.sectors || overlaps)
    throw new PartitionTableError(
      'sector of the entries',
      `${entriesSector} is not outside the usable sectors`,
    );
  if (ownSector >= usable.firstSector && ownSector <= usable.lastSector)
    throw new PartitionTableError('first usable sector', 'the header is within the usable sectors');
}
