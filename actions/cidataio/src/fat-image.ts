/**
 * A small FAT12 file system with files in its root directory, as bytes: Microsoft's FAT specification 1.03 (August 2005).
 * Writing it needs no program, no module of the kernel and no partition device.
 */

export interface FatFile {
  /** ASCII, at most 26 characters: two parts of a long name. */
  readonly name: string;
  readonly content: Uint8Array;
}

export interface FatRequest {
  readonly sectorBytes: number;
  readonly sectors: number;
  /** At most 11 characters. */
  readonly label: string;
  readonly volumeId: number;
  readonly files: readonly FatFile[];
}

const ENTRY_BYTES = 32;
const ROOT_ENTRIES = 128;
const RESERVED_SECTORS = 1;
const FAT_COPIES = 2;
/** More clusters would mean FAT16. */
const CLUSTERS_MAX = 4084;
const CLUSTER_END = 0xfff;
const FIXED_DISK = 0xf8;
const TRACK_SECTORS = 32;
const HEADS = 2;
const ATTRIBUTE = { volumeLabel: 0x08, archive: 0x20, longName: 0x0f } as const;
const NAME_PART = 13;
/** Offsets of the 13 UTF-16 units in a part of a long name. */
const UNIT_OFFSETS = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];

interface Layout {
  readonly sectorsPerCluster: number;
  readonly fatSectors: number;
  readonly rootSector: number;
  readonly dataSector: number;
  readonly clusters: number;
}

/** Returns the bytes of the whole volume, or undefined when the files do not fit. */
export function fatImage(request: FatRequest): Uint8Array | undefined {
  const { sectorBytes, sectors, files } = request;
  const layout = layoutOf(request);
  const clusterBytes = layout.sectorsPerCluster * sectorBytes;
  const image = new Uint8Array(sectors * sectorBytes);
  writeBootSector(image, request, layout);
  const chain = [0xf00 | FIXED_DISK, CLUSTER_END];
  const root = image.subarray(layout.rootSector * sectorBytes);
  writeEntry(root, { shortName: request.label.toUpperCase().padEnd(11), attribute: ATTRIBUTE.volumeLabel });
  let entry = 1;
  for (const [index, { name, content }] of files.entries()) {
    const first = chain.length;
    const count = Math.ceil(content.length / clusterBytes);
    if (first - 2 + count > layout.clusters) return undefined;
    for (let at = 1; at <= count; at += 1) chain.push(at === count ? CLUSTER_END : first + at);
    image.set(content, layout.dataSector * sectorBytes + (first - 2) * clusterBytes);
    const shortName = `FILE${index + 1}`.padEnd(11);
    for (const part of longNameParts(name, shortName)) {
      root.set(part, entry * ENTRY_BYTES);
      entry += 1;
    }
    const found = {
      shortName,
      attribute: ATTRIBUTE.archive,
      first: count === 0 ? 0 : first,
      size: content.length,
    };
    writeEntry(root.subarray(entry * ENTRY_BYTES), found);
    entry += 1;
  }
  for (let copy = 0; copy < FAT_COPIES; copy += 1)
    image.set(fatBytes(chain), (RESERVED_SECTORS + copy * layout.fatSectors) * sectorBytes);
  return image;
}

function layoutOf({ sectorBytes, sectors }: FatRequest): Layout {
  const rootSectors = Math.ceil((ROOT_ENTRIES * ENTRY_BYTES) / sectorBytes);
  for (let sectorsPerCluster = 1; ; sectorsPerCluster *= 2) {
    const most = Math.floor(sectors / sectorsPerCluster) + 2;
    const fatSectors = Math.ceil((most * 12) / 8 / sectorBytes);
    const rootSector = RESERVED_SECTORS + FAT_COPIES * fatSectors;
    const dataSector = rootSector + rootSectors;
    const clusters = Math.floor((sectors - dataSector) / sectorsPerCluster);
    if (clusters <= CLUSTERS_MAX) return { sectorsPerCluster, fatSectors, rootSector, dataSector, clusters };
  }
}

/** The fields of the specification's sections 3.1 and 3.2. */
function writeBootSector(image: Uint8Array, request: FatRequest, layout: Layout): void {
  const view = new DataView(image.buffer, image.byteOffset);
  const { sectorBytes, sectors, label, volumeId } = request;
  image.set([0xeb, 0x3c, 0x90]);
  image.set(ascii('MSWIN4.1'), 3);
  view.setUint16(11, sectorBytes, true);
  view.setUint8(13, layout.sectorsPerCluster);
  view.setUint16(14, RESERVED_SECTORS, true);
  view.setUint8(16, FAT_COPIES);
  view.setUint16(17, ROOT_ENTRIES, true);
  view.setUint16(19, sectors < 0x10000 ? sectors : 0, true);
  view.setUint8(21, FIXED_DISK);
  view.setUint16(22, layout.fatSectors, true);
  // Without a geometry, mtools refuses the volume.
  view.setUint16(24, TRACK_SECTORS, true);
  view.setUint16(26, HEADS, true);
  view.setUint32(32, sectors < 0x10000 ? 0 : sectors, true);
  view.setUint8(36, 0x80);
  view.setUint8(38, 0x29);
  view.setUint32(39, volumeId, true);
  image.set(ascii(label.toUpperCase().padEnd(11)), 43);
  image.set(ascii('FAT12   '), 54);
  image.set([0x55, 0xaa], 510);
}

interface Entry {
  readonly shortName: string;
  readonly attribute: number;
  readonly first?: number;
  readonly size?: number;
}

/** 1 January 1980, the first day of FAT. Equal input then gives equal bytes. */
const FIRST_DATE = 0x21;

function writeEntry(target: Uint8Array, { shortName, attribute, first = 0, size = 0 }: Entry): void {
  const view = new DataView(target.buffer, target.byteOffset);
  target.set(ascii(shortName));
  view.setUint8(11, attribute);
  view.setUint16(16, FIRST_DATE, true);
  view.setUint16(18, FIRST_DATE, true);
  view.setUint16(24, FIRST_DATE, true);
  view.setUint16(26, first, true);
  view.setUint32(28, size, true);
}

/** The last part comes first (section 7.1). */
function longNameParts(name: string, shortName: string): readonly Uint8Array[] {
  const checksum = ascii(shortName).reduce((sum, byte) => (((sum & 1) << 7) + (sum >> 1) + byte) & 0xff, 0);
  const count = Math.ceil(name.length / NAME_PART);
  return Array.from({ length: count }, (_, index) => {
    const number = count - index;
    const part = new Uint8Array(ENTRY_BYTES);
    const view = new DataView(part.buffer);
    view.setUint8(0, number | (index === 0 ? 0x40 : 0));
    view.setUint8(11, ATTRIBUTE.longName);
    view.setUint8(13, checksum);
    for (const [unit, offset] of UNIT_OFFSETS.entries()) {
      view.setUint16(offset, unitOf(name, (number - 1) * NAME_PART + unit), true);
    }
    return part;
  });
}

/** A zero ends the name, and ones fill the rest. */
function unitOf(name: string, at: number): number {
  if (at < name.length) return name.charCodeAt(at);
  return at === name.length ? 0 : 0xffff;
}

/** Two entries of 12 bits in three bytes. */
function fatBytes(chain: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((chain.length * 12) / 8) + 1);
  for (const [index, value] of chain.entries()) {
    const at = Math.floor((index * 3) / 2);
    const isOdd = index % 2 === 1;
    const shifted = isOdd ? value << 4 : value;
    bytes[at] = (bytes[at] ?? 0) | (shifted & 0xff);
    bytes[at + 1] = (bytes[at + 1] ?? 0) | (shifted >> 8);
  }
  return bytes;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
