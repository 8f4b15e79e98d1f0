/** A flattened device tree (Devicetree Specification 0.4, chapter 5), whose node `/chosen` has what a kernel needs to know of its start. */

const MAGIC = 0xd00dfeed;
const HEADER_BYTES = 40;
const VERSION = 17;
const LAST_COMPATIBLE_VERSION = 16;
const BEGIN_NODE = 1;
const END_NODE = 2;
const PROPERTY = 3;
const NOTHING = 4;
const END = 9;

export class DeviceTreeError extends Error {
  override readonly name = 'DeviceTreeError';
}

/** Undefined removes a property. */
export type ChosenProperties = Readonly<Record<string, Uint8Array | undefined>>;

/**
 * Returns the tree with other properties of `/chosen`. Throws a DeviceTreeError if it cannot be read, or has no such node.
 */
export function withChosen(tree: Uint8Array, properties: ChosenProperties): Uint8Array {
  const { structure, strings, reservations, bootProcessor } = partsOf(Buffer.from(tree));
  const names = new StringBlock(strings);
  const added = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [property(names.offsetOf(name), value)],
  );
  const written: Buffer[] = [];
  let [depth, chosenDepth, isDone] = [0, 0, false];
  for (const token of tokensIn(structure)) {
    const isInChosen = chosenDepth > 0 && depth === chosenDepth;
    if (token.kind === PROPERTY && isInChosen && names.at(token.name) in properties) continue;
    written.push(token.bytes);
    if (token.kind === END_NODE) depth -= 1;
    if (token.kind !== BEGIN_NODE) continue;
    depth += 1;
    if (depth !== 2 || token.text !== 'chosen') continue;
    chosenDepth = depth;
    isDone = true;
    written.push(...added);
  }
  if (!isDone) throw new DeviceTreeError('the device tree has no node /chosen');
  return joined({ structure: Buffer.concat(written), strings: names.bytes, reservations, bootProcessor });
}

interface Parts {
  readonly structure: Buffer;
  readonly strings: Buffer;
  /** Pairs of an address and a length, which end with zeros. */
  readonly reservations: Buffer;
  readonly bootProcessor: number;
}

function partsOf(tree: Buffer): Parts {
  if (tree.length < HEADER_BYTES || tree.readUInt32BE(0) !== MAGIC)
    throw new DeviceTreeError('it is not a flattened device tree');
  const [
    ,
    total = 0,
    structureAt = 0,
    stringsAt = 0,
    reservedAt = 0,
    ,
    ,
    ,
    stringsSize = 0,
    structureSize = 0,
  ] = Array.from({ length: 10 }, (_, index) => tree.readUInt32BE(index * 4));
  const part = (from: number, size: number): Buffer => {
    if (from + size > Math.min(total, tree.length)) throw new DeviceTreeError('the device tree is cut short');
    return tree.subarray(from, from + size);
  };
  return {
    structure: part(structureAt, structureSize),
    strings: part(stringsAt, stringsSize),
    reservations: part(reservedAt, Math.max(0, structureAt - reservedAt)),
    bootProcessor: tree.readUInt32BE(28),
  };
}

interface Token {
  readonly kind: number;
  readonly bytes: Buffer;
  /** Of a property: where its name is among the strings. */
  readonly name: number;
  /** Of a node: its name. */
  readonly text: string;
}

function* tokensIn(structure: Buffer): Generator<Token> {
  let at = 0;
  while (at + 4 <= structure.length) {
    const kind = structure.readUInt32BE(at);
    const [size, name, text] = sizeOf(structure, at, kind);
    if (at + size > structure.length) throw new DeviceTreeError('the device tree is cut short');
    yield { kind, bytes: structure.subarray(at, at + size), name, text };
    if (kind === END) return;
    at += size;
  }
  throw new DeviceTreeError('the device tree has no end');
}

function sizeOf(
  structure: Buffer,
  at: number,
  kind: number,
): readonly [size: number, name: number, text: string] {
  if (kind === END_NODE || kind === NOTHING || kind === END) return [4, 0, ''];
  if (kind === BEGIN_NODE) {
    const end = structure.indexOf(0, at + 4);
    if (end === -1) throw new DeviceTreeError('the name of a node has no end');
    return [aligned(end + 1 - at), 0, structure.toString('latin1', at + 4, end)];
  }
  if (kind !== PROPERTY || at + 12 > structure.length)
    throw new DeviceTreeError(`the device tree has an unknown token ${kind}`);
  return [12 + aligned(structure.readUInt32BE(at + 4)), structure.readUInt32BE(at + 8), ''];
}

class StringBlock {
  #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  at(offset: number): string {
    return this.#bytes.toString('latin1', offset, this.#bytes.indexOf(0, offset));
  }

  offsetOf(name: string): number {
    const offset = this.#bytes.length;
    this.#bytes = Buffer.concat([this.#bytes, Buffer.from(`${name}\0`, 'latin1')]);
    return offset;
  }
}

function property(name: number, value: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + aligned(value.length));
  bytes.writeUInt32BE(PROPERTY, 0);
  bytes.writeUInt32BE(value.length, 4);
  bytes.writeUInt32BE(name, 8);
  bytes.set(value, 12);
  return bytes;
}

function joined({ structure, strings, reservations, bootProcessor }: Parts): Uint8Array {
  const structureAt = HEADER_BYTES + reservations.length;
  const stringsAt = structureAt + structure.length;
  const total = aligned(stringsAt + strings.length);
  const tree = Buffer.alloc(total);
  const header = [
    MAGIC,
    total,
    structureAt,
    stringsAt,
    HEADER_BYTES,
    VERSION,
    LAST_COMPATIBLE_VERSION,
    bootProcessor,
    strings.length,
    structure.length,
  ];
  for (const [index, value] of header.entries()) tree.writeUInt32BE(value, index * 4);
  tree.set(reservations, HEADER_BYTES);
  tree.set(structure, structureAt);
  tree.set(strings, stringsAt);
  return tree;
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}
