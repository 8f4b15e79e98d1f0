/** The entries of a GPT: UEFI 2.10 tables 5-6 and 5-8. */
import {
  ENTRY_BYTES,
  NAME_UNITS_MAX,
  type GptAttributes,
  type GptPartition,
  type GptTable,
} from './gpt-table.ts';
import { guidFromBytes, guidToBytes, NO_GUID } from './guid.ts';
import { PartitionTableError } from './table-error.ts';

const NAME_OFFSET = 56;
const TYPE_SPECIFIC_OFFSET = 54;
const REQUIRED = 1;
const NO_BLOCK_IO = 2;
const LEGACY_BOOTABLE = 4;

/** Returns all entries, also the unused ones, which are zeros. */
export function encodeEntries({ entryCount, partitions }: GptTable): Uint8Array {
  const bytes = new Uint8Array(entryCount * ENTRY_BYTES);
  for (const partition of partitions) {
    const at = (partition.number - 1) * ENTRY_BYTES;
    const view = new DataView(bytes.buffer, at, ENTRY_BYTES);
    bytes.set(guidToBytes(partition.type), at);
    bytes.set(guidToBytes(partition.id), at + 16);
    view.setBigUint64(32, BigInt(partition.firstSector), true);
    view.setBigUint64(40, BigInt(partition.lastSector), true);
    view.setUint8(48, lowAttributes(partition.attributes));
    view.setUint16(TYPE_SPECIFIC_OFFSET, partition.attributes.typeSpecific ?? 0, true);
    for (let unit = 0; unit < partition.name.length; unit += 1)
      view.setUint16(NAME_OFFSET + unit * 2, partition.name.charCodeAt(unit), true);
  }
  return bytes;
}

function lowAttributes({ required, noBlockIo, legacyBootable }: GptAttributes): number {
  return (
    (required === true ? REQUIRED : 0) |
    (noBlockIo === true ? NO_BLOCK_IO : 0) |
    (legacyBootable === true ? LEGACY_BOOTABLE : 0)
  );
}

/** Skips unused entries. Throws a `PartitionTableError` for a sector that no disk has. */
export function decodeEntries(bytes: Uint8Array, entryBytes: number): readonly GptPartition[] {
  const partitions: GptPartition[] = [];
  for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
    const type = guidFromBytes(bytes, at);
    if (type === NO_GUID) continue;
    const number = at / entryBytes + 1;
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, entryBytes);
    partitions.push({
      number,
      type,
      id: guidFromBytes(bytes, at + 16),
      firstSector: sectorAt(view, 32, number),
      lastSector: sectorAt(view, 40, number),
      attributes: attributesOf(view),
      name: nameOf(view),
    });
  }
  return partitions;
}

function sectorAt(view: DataView, offset: number, number: number): number {
  const value = view.getBigUint64(offset, true);
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw new PartitionTableError(`partition ${number}`, `sector ${value} is beyond every disk`);
}

function attributesOf(view: DataView): GptAttributes {
  const low = view.getUint8(48);
  const typeSpecific = view.getUint16(TYPE_SPECIFIC_OFFSET, true);
  return {
    ...((low & REQUIRED) === 0 ? {} : { required: true }),
    ...((low & NO_BLOCK_IO) === 0 ? {} : { noBlockIo: true }),
    ...((low & LEGACY_BOOTABLE) === 0 ? {} : { legacyBootable: true }),
    ...(typeSpecific === 0 ? {} : { typeSpecific }),
  };
}

function nameOf(view: DataView): string {
  let name = '';
  for (let unit = 0; unit < NAME_UNITS_MAX; unit += 1) {
    const code = view.getUint16(NAME_OFFSET + unit * 2, true);
    if (code === 0) break;
    name += String.fromCharCode(code);
  }
  return name;
}
