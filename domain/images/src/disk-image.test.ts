import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OciError, readDigest, readManifest, type Digest, type ImageManifest } from '@tinkerbell/oci';
import {
  DISK_CONFIG_TYPE,
  DiskImageBuilder,
  diskManifest,
  encodeDiskConfig,
  PACK_TYPE,
  packBytesFor,
  positionsOf,
  probePositions,
  readDiskImage,
  sharedBytes,
  sizesOf,
  type DiskImage,
} from './index.ts';

const CHUNK = 64 * 1024;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const digestOf = (number: number): Digest => readDigest(`sha256:${number.toString(16).padStart(64, '0')}`);

/** The chunks of a disk: a number for its content, and undefined for zeros. */
type Disk = readonly (number | undefined)[];

function built(disk: Disk, { earlier = [], tail = CHUNK }: { earlier?: DiskImage[]; tail?: number } = {}) {
  const builder = new DiskImageBuilder(CHUNK, earlier);
  const stored: number[] = [];
  let offset = 0;
  let packNumber = 0;
  for (const [position, content] of disk.entries()) {
    if (content === undefined) continue;
    const digest = digestOf(content);
    if (!builder.has(digest)) {
      stored.push(content);
      builder.fill(digest, { offset, length: 100 + content });
      offset += 100 + content;
    }
    builder.place(position, digest);
    if (offset > 500) {
      builder.complete({ digest: digestOf(1e6 + content * 1000 + packNumber), sizeBytes: offset });
      [offset, packNumber] = [0, packNumber + 1];
    }
  }
  if (offset > 0)
    builder.complete({ digest: digestOf(2e6 + (disk.length << 8) + stored.length), sizeBytes: offset });
  return { image: builder.finish((disk.length - 1) * CHUNK + tail), stored };
}

function manifestOf(image: DiskImage): ImageManifest {
  const config = bytesOf(encodeDiskConfig(image));
  const manifest = readManifest(
    bytesOf(diskManifest(image, { digest: digestOf(7), sizeBytes: config.length })),
  );
  assert.ok(manifest.kind === 'image');
  return manifest;
}

const disks = fc.array(fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }), {
  minLength: 1,
  maxLength: 60,
});
const tails = fc.integer({ min: 1, max: CHUNK });

test('every disk is read back from its bytes as it was', () => {
  fc.assert(
    fc.property(disks, tails, (disk, tail) => {
      const { image } = built(disk, { tail });
      assert.deepEqual(readDiskImage(manifestOf(image), bytesOf(encodeDiskConfig(image))), image);
      const found: (number | undefined)[] = disk.map(() => undefined);
      for (const { position, stored, diskLength, diskOffset } of positionsOf(image)) {
        found[position] = Number.parseInt(stored.digest.slice(7), 16);
        assert.equal(diskLength, position === disk.length - 1 ? tail : CHUNK);
        assert.equal(diskOffset, position * CHUNK);
      }
      assert.deepEqual(found, disk);
    }),
  );
});

test('each distinct chunk is stored once, and those of an earlier image are not stored again', () => {
  fc.assert(
    fc.property(disks, disks, (before, after) => {
      const first = built(before);
      assert.equal(new Set(first.stored).size, first.stored.length);
      const second = built(after, { earlier: [first.image] });
      const known = new Set(before);
      assert.ok(second.stored.every((content) => !known.has(content)));
      const shared = after.filter(
        (one, index) => one !== undefined && known.has(one) && after.indexOf(one) === index,
      );
      assert.equal(
        sharedBytes(second.image, [first.image]),
        shared.reduce<number>((sum, content) => sum + 100 + (content ?? 0), 0),
      );
    }),
  );
});

test('a chunk that is in no pack is a bug and not an image', () => {
  const builder = new DiskImageBuilder(CHUNK);
  builder.fill(digestOf(1), { offset: 0, length: 1 });
  builder.place(0, digestOf(1));
  assert.throws(() => builder.finish(CHUNK), /is in no pack/);
});

test('an earlier image with very many packs is packed anew', () => {
  const packs = Array.from({ length: 513 }, (_, index) => ({ digest: digestOf(index + 1), sizeBytes: 10 }));
  const chunks = [{ digest: digestOf(1), pack: 0, offset: 0, length: 10 }];
  const earlier = { diskBytes: CHUNK, chunkBytes: CHUNK, packs, chunks, runs: [] };
  assert.equal(new DiskImageBuilder(CHUNK, [earlier]).has(digestOf(1)), false);
  assert.equal(new DiskImageBuilder(CHUNK, [{ ...earlier, packs: packs.slice(1) }]).has(digestOf(1)), true);
  assert.equal(
    new DiskImageBuilder(2 * CHUNK, [{ ...earlier, packs: packs.slice(1) }]).has(digestOf(1)),
    false,
  );
});

test('almost a terabyte of packs fits into one manifest', () => {
  let bytes = 0;
  for (let pack = 0; pack < 1024; pack += 1) bytes += packBytesFor(pack);
  assert.ok(bytes > 1000 * 2 ** 30);
  assert.equal(packBytesFor(0), 32 * 1024 * 1024);
});

test('probes are chunks of the image, with the first ones', () => {
  fc.assert(
    fc.property(disks, (disk) => {
      const { image } = built(disk);
      const all = [...positionsOf(image)].map(({ position }) => position);
      const probes = probePositions(image).map(({ position }) => position);
      assert.deepEqual(probes.slice(0, 4), all.slice(0, 4));
      assert.ok(probes.every((position) => all.includes(position)));
      assert.equal(new Set(probes).size, probes.length);
      assert.ok(probes.length <= 16);
    }),
  );
});

test('sizes count data, packs and what is used of them', () => {
  const { image } = built([1, undefined, 1, 2], { tail: 5 });
  assert.deepEqual(sizesOf(image), {
    diskBytes: 3 * CHUNK + 5,
    dataBytes: 3 * CHUNK,
    storedBytes: 203,
    usedBytes: 203,
  });
});

const { image: plain } = built([1, undefined, 2, 3]);
type Json = Record<string, unknown>;

function refused(
  change: (json: Json) => void,
  changeManifest: (manifest: ImageManifest) => ImageManifest = (same) => same,
) {
  const json = JSON.parse(encodeDiskConfig(plain)) as Json;
  change(json);
  return () => readDiskImage(changeManifest(manifestOf(plain)), bytesOf(JSON.stringify(json)));
}

const hex = digestOf(1).slice(7);
const faults: readonly (readonly [string, (json: Json) => void, RegExp])[] = [
  ['another version', (json) => (json['version'] = 2), /^version: is 2; only 1/],
  ['no version', (json) => delete json['version'], /^version: is absent/],
  ['no disk', (json) => (json['diskBytes'] = 0), /^diskBytes: is 0; it must be/],
  ['a huge disk', (json) => (json['diskBytes'] = 2 ** 51), /^diskBytes: is/],
  ['half a byte', (json) => (json['diskBytes'] = 0.5), /^diskBytes: must be a whole number/],
  ['small chunks', (json) => (json['chunkBytes'] = 4096), /^chunkBytes: is 4096; it must be a power of two/],
  ['large chunks', (json) => (json['chunkBytes'] = 2 ** 30), /^chunkBytes: is/],
  ['odd chunks', (json) => (json['chunkBytes'] = 100_000), /^chunkBytes: is 100000/],
  ['a chunk of another type', (json) => (json['chunks'] = [7]), /^chunks\[0\]: must be a list/],
  [
    'a chunk with a short digest',
    (json) => (json['chunks'] = [['ab', 0, 0, 1]]),
    /^chunks\[0\]\[0\]: .*is not a digest/,
  ],
  [
    'a chunk with too many fields',
    (json) => (json['chunks'] = [[hex, 0, 0, 1, 1]]),
    /^chunks\[0\]: must be a list of/,
  ],
  [
    'a chunk in no pack',
    (json) => (json['chunks'] = [[hex, 9, 0, 1]]),
    /^chunks\[0\]\[1\]: is 9, and there are 1 packs/,
  ],
  [
    'a chunk beyond its pack',
    (json) => (json['chunks'] = [[hex, 0, 300, 9]]),
    /^chunks\[0\]: ends at byte 309 of pack 0/,
  ],
  ['an empty chunk', (json) => (json['chunks'] = [[hex, 0, 0, 0]]), /^chunks\[0\]\[3\]: is 0/],
  [
    'a chunk that is too long',
    (json) => (json['chunks'] = [[hex, 0, 0, 2 ** 20]]),
    /^chunks\[0\]\[3\]: is 1048576/,
  ],
  ['a run of nothing', (json) => (json['runs'] = [[0, 0, 0]]), /^runs\[0\]\[2\]: must be at least 1/],
  [
    'runs that overlap',
    (json) =>
      (json['runs'] = [
        [0, 0, 2],
        [1, 0, 1],
      ]),
    /^runs\[1\]\[0\]: is 1, and the run before it ends at 2/,
  ],
  [
    'a run beyond the disk',
    (json) => (json['runs'] = [[3, 0, 2]]),
    /^runs\[0\]: ends at chunk 5 of a disk with 4/,
  ],
  [
    'a run of unknown chunks',
    (json) => (json['runs'] = [[0, 2, 2]]),
    /^runs\[0\]: names chunk 3, and there are 3/,
  ],
  ['a huge run', (json) => (json['runs'] = [[0, 0, Number.MAX_SAFE_INTEGER]]), /^runs\[0\]: ends at/],
];

for (const [what, change, reason] of faults)
  test(`an index with ${what} is refused by its field`, () => {
    assert.throws(refused(change), (error) => error instanceof OciError && reason.test(error.message));
  });

test('a manifest of another kind is refused by its field', () => {
  const container = (manifest: ImageManifest): ImageManifest => ({
    ...manifest,
    config: { ...manifest.config, mediaType: 'a/b' },
  });
  assert.throws(
    refused(() => {}, container),
    /^OciError: config\.mediaType: is a\/b, and a disk image has/,
  );
  const layers = (manifest: ImageManifest): ImageManifest => ({
    ...manifest,
    layers: manifest.layers.map((layer) => ({ ...layer, mediaType: 'a/b' })),
  });
  assert.throws(
    refused(() => {}, layers),
    /layers\[0\]\.mediaType: is a\/b/,
  );
  assert.equal(manifestOf(plain).config.mediaType, DISK_CONFIG_TYPE);
  assert.equal(manifestOf(plain).layers[0]?.mediaType, PACK_TYPE);
});

test('no bytes and no JSON throw anything but an OciError', () => {
  const manifest = manifestOf(plain);
  const read = (bytes: Uint8Array): void => {
    try {
      readDiskImage(manifest, bytes);
    } catch (error) {
      assert.ok(error instanceof OciError, String(error));
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), read));
  const base = JSON.parse(encodeDiskConfig(plain)) as Json;
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(base)), fc.jsonValue(), (field, value) =>
      read(bytesOf(JSON.stringify({ ...base, [field]: value }))),
    ),
  );
});
