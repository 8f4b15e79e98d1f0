/**
 * The inventory of a machine: what its manufacturer wrote into an EEPROM. The format is that of the IPMI Platform Management FRU
 * Information Storage Definition, version 1.0, revision 1.3.
 */
import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes } from '../bytes.ts';
import { decodeInventoryText, encodeInventoryText } from './inventory-text.ts';

/** Texts that the manufacturer left empty are absent. */
export interface ChassisInventory {
  /** The SMBIOS chassis type. */
  readonly type: number;
  readonly partNumber?: string;
  readonly serialNumber?: string;
}

export interface BoardInventory {
  readonly manufacturer?: string;
  readonly name?: string;
  readonly serialNumber?: string;
  readonly partNumber?: string;
}

export interface ProductInventory {
  readonly manufacturer?: string;
  readonly name?: string;
  readonly partNumber?: string;
  readonly version?: string;
  readonly serialNumber?: string;
  readonly assetTag?: string;
}

export interface Inventory {
  readonly chassis?: ChassisInventory;
  readonly board?: BoardInventory;
  readonly product?: ProductInventory;
}

const FORMAT_VERSION = 1;
const UNIT_BYTES = 8;
const HEADER_BYTES = 8;
/** An area of 255 units that starts at the last offset. What is behind holds other records. */
export const INVENTORY_BYTES_MAX = 2 * 255 * UNIT_BYTES;
const FIELDS_END = 0xc1;
/** Areas have fewer than ten fields of their own, and vendors add a few. */
const FIELDS_MAX = 64;
const ENGLISH = 25;

const BOARD_FIELDS = ['manufacturer', 'name', 'serialNumber', 'partNumber'] as const;
const PRODUCT_FIELDS = ['manufacturer', 'name', 'partNumber', 'version', 'serialNumber', 'assetTag'] as const;
const CHASSIS_FIELDS = ['partNumber', 'serialNumber'] as const;

/** Reads the areas that describe the machine. A wrong checksum of an area is ignored, because it is wrong on many machines. */
export function decodeInventory(bytes: Uint8Array): Decoded<Inventory> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const version = reader.uint8('format version') & 0x0f;
    if (version !== FORMAT_VERSION) reader.fail('unknown-format', 'format version', `${version}, expected 1`);
    reader.skip(1, 'internal use area');
    const offsets = {
      chassis: reader.uint8('chassis area') * UNIT_BYTES,
      board: reader.uint8('board area') * UNIT_BYTES,
      product: reader.uint8('product area') * UNIT_BYTES,
    };
    const chassis = offsets.chassis === 0 ? undefined : readChassis(bytes, offsets.chassis);
    const board = offsets.board === 0 ? undefined : readBoard(bytes, offsets.board);
    const product = offsets.product === 0 ? undefined : readProduct(bytes, offsets.product);
    return {
      ...(chassis === undefined ? {} : { chassis }),
      ...(board === undefined ? {} : { board }),
      ...(product === undefined ? {} : { product }),
    };
  });
}

function readChassis(bytes: Uint8Array, offset: number): ChassisInventory {
  const { reader, second } = areaAt(bytes, offset, 'chassis area');
  return { type: second, ...fieldsOf(reader, CHASSIS_FIELDS) };
}

function readBoard(bytes: Uint8Array, offset: number): BoardInventory {
  const { reader, second } = areaAt(bytes, offset, 'board area');
  reader.skip(3, 'manufacturing date');
  return fieldsOf(reader, BOARD_FIELDS, second);
}

function readProduct(bytes: Uint8Array, offset: number): ProductInventory {
  const { reader, second } = areaAt(bytes, offset, 'product area');
  return fieldsOf(reader, PRODUCT_FIELDS, second);
}

/** An area starts with its version, its length, and its language or chassis type. */
function areaAt(
  bytes: Uint8Array,
  offset: number,
  field: string,
): { readonly reader: ByteReader; readonly second: number } {
  const head = new ByteReader(bytes.subarray(offset), offset);
  head.skip(1, `${field} version`);
  const length = head.uint8(`${field} length`) * UNIT_BYTES;
  const reader = new ByteReader(bytes.subarray(offset, offset + length), offset);
  reader.skip(2, field);
  return { reader, second: reader.uint8(`${field} language`) };
}

/** Reads the fields in their order. An area that ends early, as some do without an end mark, has fewer. */
function fieldsOf<Name extends string>(
  reader: ByteReader,
  names: readonly Name[],
  language = ENGLISH,
): Partial<Record<Name, string>> {
  const fields: Partial<Record<Name, string>> = {};
  for (let index = 0; index < FIELDS_MAX && reader.remaining > 0; index++) {
    const typeAndLength = reader.uint8('field type and length');
    const length = typeAndLength & 0x3f;
    if (typeAndLength === FIELDS_END || length > reader.remaining) break;
    const type = typeAndLength >> 6;
    const text = decodeInventoryText(reader.bytes(length, 'field'), { type, language });
    const name = names[index];
    if (name !== undefined && text !== '') fields[name] = text;
  }
  return fields;
}

/** Encodes the areas as a manufacturer would, in English. Texts have at most 63 bytes. */
export function encodeInventory({ chassis, board, product }: Inventory): Uint8Array {
  const noDate = [0, 0, 0];
  const noFileId = undefined;
  const areas = [
    chassis && encodeArea([chassis.type], [chassis.partNumber, chassis.serialNumber]),
    board && encodeArea([ENGLISH, ...noDate], [...BOARD_FIELDS.map((name) => board[name]), noFileId]),
    product && encodeArea([ENGLISH], [...PRODUCT_FIELDS.map((name) => product[name]), noFileId]),
  ];
  const offsets: number[] = [];
  let at = HEADER_BYTES;
  for (const area of areas) {
    offsets.push(area === undefined ? 0 : at / UNIT_BYTES);
    at += area?.length ?? 0;
  }
  const header = Uint8Array.of(FORMAT_VERSION, 0, ...offsets, 0, 0);
  return joinBytes(header, checksumOf(header), ...areas.filter((area) => area !== undefined));
}

function encodeArea(head: readonly number[], texts: readonly (string | undefined)[]): Uint8Array {
  const fields = texts.map((text) => encodeInventoryText(text ?? ''));
  const body = joinBytes(Uint8Array.from(head), ...fields, Uint8Array.of(FIELDS_END));
  const units = Math.ceil((body.length + 3) / UNIT_BYTES); // version, length, checksum
  const area = new Uint8Array(units * UNIT_BYTES - 1);
  area.set([FORMAT_VERSION, units]);
  area.set(body, 2);
  return joinBytes(area, checksumOf(area));
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(-bytes.reduce((sum, byte) => sum + byte, 0));
}
