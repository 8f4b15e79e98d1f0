import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDigest } from '@tinkerbell/oci';
import { chunkTable, positionsOf, stretchesOf, type DiskImage } from '../index.ts';

const CHUNK = 1024 * 1024;
const image: DiskImage = {
  diskBytes: 30 * CHUNK - 5,
  chunkBytes: CHUNK,
  packs: [],
  chunks: Array.from({ length: 12 }, (_, at) => ({
    digest: readDigest(`sha256:${String(at).padStart(64, '0')}`),
    pack: 0,
    offset: at * 100,
    length: 100,
  })),
  runs: [
    { position: 0, chunk: 0, count: 5 },
    { position: 5, chunk: 2, count: 3 },
    { position: 27, chunk: 9, count: 3 },
  ],
};

test('the table has the chunks and stretches of the image, by number', () => {
  const table = chunkTable(image);
  assert.ok(table !== undefined);
  const chunks = [...positionsOf(image)];
  const stretches = [...stretchesOf(chunks, image)];
  assert.equal(table.chunks, 11);
  assert.deepEqual(
    chunks.map((_, number) => table.chunkAt(number)),
    chunks,
  );
  assert.deepEqual([table.chunkAt(11), table.chunkAt(-1)], [undefined, undefined]);
  assert.deepEqual(
    stretches.map((_, index) => table.stretchAt(index)),
    stretches,
  );
  assert.deepEqual(
    stretches.flatMap((stretch, index) => stretch.map(() => index)),
    chunks.map((_, number) => table.stretchOf(number)),
  );
  assert.deepEqual([table.stretchOf(-1), table.stretchOf(11)], [undefined, undefined]);
  assert.equal(table.stretchAt(stretches.length), undefined);
});

test('an image with too many chunks has none', () => {
  const runs = Array.from({ length: 5 }, (_, at) => ({ position: at * 2 ** 20, chunk: 0, count: 2 ** 20 }));
  assert.equal(chunkTable({ ...image, runs }), undefined);
});
