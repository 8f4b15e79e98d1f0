import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { isQcow2, openQcow2, Qcow2Error, type Decoders } from './index.ts';
import {
  buildImage,
  CLUSTER,
  contentOf,
  memoryFile,
  repeatDecoders,
  type Content,
} from './testing/build-image.ts';

async function diskOf(bytes: Uint8Array, decoders: Decoders = repeatDecoders): Promise<Uint8Array> {
  const image = await openQcow2(memoryFile(bytes));
  const parts: Uint8Array[] = [];
  for await (const part of image.parts(decoders))
    parts.push(part.kind === 'data' ? part.bytes : new Uint8Array(part.length));
  return Buffer.concat(parts);
}

const content = fc.constantFrom<Content>('missing', 'zeros', 'plain', 'compressed');

test('any image is read as it was built, and its last cluster is cut', async () => {
  const layout = fc.array(fc.oneof(content, fc.constant<Content>('missing')), {
    minLength: 1,
    maxLength: 400,
  });
  await fc.assert(
    fc.asyncProperty(layout, fc.nat(CLUSTER - 1), async (contents, cut) => {
      const diskBytes = contents.length * CLUSTER - cut;
      const disk = await diskOf(buildImage(contents, diskBytes));
      const expected = Buffer.concat(contents.map((kind, index) => contentOf(index, kind)));
      assert.ok(Buffer.from(disk).equals(expected.subarray(0, diskBytes)));
    }),
  );
});

test('long runs are joined, and a disk without tables is one part', async () => {
  const count = async (contents: readonly Content[]): Promise<number> => {
    let parts = 0;
    const image = await openQcow2(memoryFile(buildImage(contents)));
    for await (const part of image.parts(repeatDecoders)) parts += part.kind === 'data' ? 1 : 1;
    return parts;
  };
  assert.equal(await count(Array.from({ length: 1000 }, () => 'missing')), 1);
  assert.equal(await count(Array.from({ length: 60 }, () => 'plain')), 1);
  assert.equal(await count(['zeros', 'missing', 'plain', 'plain', 'zeros']), 3);
});

test('a file that ends within its last cluster is filled with zeros', async () => {
  const bytes = buildImage(['plain', 'plain']);
  const disk = await diskOf(bytes.slice(0, -100));
  assert.equal(disk.length, 2 * CLUSTER);
  assert.ok(disk.subarray(-100).every((byte) => byte === 0));
});

/** Changes one field of the header. */
function changed(change: (view: DataView) => void): Uint8Array {
  const bytes = buildImage(['plain', 'compressed']);
  change(new DataView(bytes.buffer));
  return bytes;
}

const L2 = 2 * CLUSTER;
for (const [what, change, problem] of [
  ['another format', (view) => view.setUint32(0, 0), /magic: this is not a qcow2 image/],
  ['version 1', (view) => view.setUint32(4, 1), /version: 1 is not supported/],
  ['a backing file', (view) => view.setBigUint64(8, 600n), /backing_file_offset: .*convert it with qemu-img/],
  ['encryption', (view) => view.setUint32(32, 2), /crypt_method: the image is encrypted/],
  ['clusters of 256 bytes', (view) => view.setUint32(20, 8), /cluster_bits: 8 is not from 9 to 21/],
  ['clusters of 4 GiB', (view) => view.setUint32(20, 32), /cluster_bits/],
  ['a disk of 16 EiB', (view) => view.setBigUint64(24, 2n ** 64n - 1n), /size: .* beyond every file/],
  ['a disk of 1 PiB', (view) => view.setBigUint64(24, 2n ** 50n), /size: .* too many for clusters of 512/],
  ['an L1 table that is too short', (view) => view.setUint32(36, 0), /l1_size: 0 entries do not cover/],
  [
    'an L1 table beyond the file',
    (view) => view.setBigUint64(40, 51_200n),
    /table: at 51200 is beyond the end/,
  ],
  [
    'an unaligned L1 table',
    (view) => view.setBigUint64(40, 513n),
    /l1_table_offset: offset 513 is not a multiple/,
  ],
  [
    'a corrupt image',
    (view) => view.setBigUint64(72, 2n),
    /incompatible_features: .*corrupt.*qemu-img check/,
  ],
  ['an external data file', (view) => view.setBigUint64(72, 4n), /the data is in another file/],
  ['extended L2 entries', (view) => view.setBigUint64(72, 16n), /extended L2 entries are not supported/],
  ['unknown features', (view) => view.setBigUint64(72, 0x8000n), /bits 0x8000 are not supported/],
  [
    'another compression',
    (view) => (view.setBigUint64(72, 8n), view.setUint8(104, 2)),
    /compression_type: 2/,
  ],
  ['an L2 table beyond the file', (view) => view.setBigUint64(CLUSTER, 51_200n), /table: at 51200/],
  [
    'a cluster beyond the file',
    (view) => view.setBigUint64(L2, 51_200n),
    /L2 entry of cluster 0: offset 51200 is beyond/,
  ],
  [
    'a compressed cluster beyond the file',
    (view) => view.setBigUint64(L2, (1n << 62n) | 51_200n),
    /cluster 0: offset 51200/,
  ],
  ['reserved bits', (view) => view.setBigUint64(L2, 0x102n), /reserved bits/],
] as const satisfies readonly (readonly [string, (view: DataView) => unknown, RegExp])[])
  test(`refuses ${what}`, () => assert.rejects(diskOf(changed(change)), problem));

test('a dirty image is read, because only its reference counts may be wrong', async () => {
  assert.equal((await diskOf(changed((view) => view.setBigUint64(72, 1n)))).length, 2 * CLUSTER);
});

test('version 2 is read without the fields of version 3', async () => {
  const bytes = changed((view) => {
    view.setUint32(4, 2);
    view.setBigUint64(72, 0xffff_ffffn);
  });
  assert.equal((await diskOf(bytes)).length, 2 * CLUSTER);
  const zeros = changed((view) => (view.setUint32(4, 2), view.setBigUint64(L2, 1n)));
  await assert.rejects(diskOf(zeros), /reserved bits/);
});

test('a decoder that returns too little is an error', async () => {
  const short = async () => new Uint8Array(5);
  await assert.rejects(
    diskOf(buildImage(['compressed']), { zlib: short, zstd: short }),
    /has 5 of 512 bytes/,
  );
});

test('knows the format by its first bytes', () => {
  assert.ok(isQcow2(buildImage(['zeros'])));
  assert.ok(!isQcow2(new Uint8Array(3)));
});

/** Any byte of the header and the tables may be wrong. The disk stays the size that the header claims. */
test('damaged images are read or refused with a Qcow2Error, and never read more than their disk', async () => {
  const contents = Array.from({ length: 130 }, (_, index): Content =>
    index % 3 === 0 ? 'plain' : 'compressed',
  );
  const sound = buildImage(contents);
  const changes = fc.array(fc.tuple(fc.nat(CLUSTER * 6), fc.nat(255)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(changes, async (list) => {
      const bytes = sound.slice();
      for (const [at, value] of list) bytes[at] = value;
      try {
        const image = await openQcow2(memoryFile(bytes));
        if (image.diskBytes > 1_000_000) return;
        let length = 0;
        for await (const part of image.parts(repeatDecoders))
          length += part.kind === 'data' ? part.bytes.length : part.length;
        assert.equal(length, image.diskBytes);
      } catch (error) {
        assert.ok(error instanceof Qcow2Error, String(error));
      }
    }),
    { numRuns: 300 },
  );
});
