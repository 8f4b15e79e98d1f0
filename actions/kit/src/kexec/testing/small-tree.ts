/** A device tree with one node, and its properties read back. */

/** Returns the tree. */
export function treeOf(properties: Readonly<Record<string, string>>, node = 'chosen'): Buffer {
  const names = Object.keys(properties);
  const strings = Buffer.from(names.map((name) => `${name}\0`).join(''));
  const tokens = [token(1), padded(Buffer.from('\0')), token(1), padded(Buffer.from(`${node}\0`))];
  let nameAt = 0;
  for (const [name, value] of Object.entries(properties)) {
    tokens.push(token(3), token(value.length), token(nameAt), padded(Buffer.from(value)));
    nameAt += name.length + 1;
  }
  tokens.push(token(2), token(2), token(9));
  const structure = Buffer.concat(tokens);
  const total = 56 + structure.length + strings.length;
  const header = [
    0xd00dfeed,
    total,
    56,
    56 + structure.length,
    40,
    17,
    16,
    0,
    strings.length,
    structure.length,
  ];
  return Buffer.concat([...header.map(token), Buffer.alloc(16), structure, strings]);
}

/** Returns the properties of all nodes. */
export function propertiesOf(tree: Uint8Array): Readonly<Record<string, Buffer>> {
  const bytes = Buffer.from(tree);
  const found: Record<string, Buffer> = {};
  const [structureAt, stringsAt] = [bytes.readUInt32BE(8), bytes.readUInt32BE(12)];
  for (let at = structureAt; at < stringsAt; at += 4) {
    if (bytes.readUInt32BE(at) !== 3) continue;
    const [length, nameAt] = [bytes.readUInt32BE(at + 4), stringsAt + bytes.readUInt32BE(at + 8)];
    found[bytes.toString('latin1', nameAt, bytes.indexOf(0, nameAt))] = bytes.subarray(
      at + 12,
      at + 12 + length,
    );
    at += 8 + Math.ceil(length / 4) * 4;
  }
  return found;
}

function token(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
