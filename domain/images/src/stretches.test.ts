import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDigest } from '@tinkerbell/oci';
import {
  chunkBytesFor,
  followsInPack,
  packedPart,
  requestBytesMax,
  stretchesOf,
  stretchRoom,
  type PlacedChunk,
} from './index.ts';

const GIBIBYTE = 1024 ** 3;

/** Chunks in the order of a disk, with gaps on it and in the packs, which may lie in any order. */
const placed = fc
  .record({
    chunkBytes: fc.constantFrom(64 * 1024, 1024 * 1024, 16 * 1024 * 1024),
    steps: fc.array(
      fc.record({
        gap: fc.nat({ max: 1 }),
        pack: fc.nat({ max: 1 }),
        jump: fc.integer({ min: -1, max: 1 }),
        share: fc.integer({ min: 1, max: 100 }),
      }),
      { maxLength: 80 },
    ),
  })
  .map(({ chunkBytes, steps }) => {
    let position = -1;
    const ends = [0, 0];
    const chunks = steps.map(({ gap, pack, jump, share }): PlacedChunk => {
      position += 1 + gap;
      const length = Math.ceil(((chunkBytes + 128 * 1024) * share) / 100);
      const offset = Math.max(0, (ends[pack] ?? 0) + jump);
      ends[pack] = offset + length;
      const digest = readDigest(`sha256:${String(position).padStart(64, '0')}`);
      const stored = { digest, pack, offset, length };
      return { position, diskOffset: position * chunkBytes, diskLength: chunkBytes, stored };
    });
    return { chunkBytes, chunks };
  });

test('stretches are all chunks in order, and fit into the memory for one', () => {
  fc.assert(
    fc.property(placed, ({ chunkBytes, chunks }) => {
      const stretches = [...stretchesOf(chunks, { chunkBytes })];
      assert.deepEqual(stretches.flat(), chunks);
      const room = stretchRoom({ chunkBytes });
      for (const stretch of stretches) {
        assert.ok(stretch.reduce((sum, { diskLength }) => sum + diskLength, 0) <= room.diskBytes);
        assert.ok(packedPart(stretch).length <= room.packedBytes);
      }
    }),
  );
});

test('a stretch follows another one when one part of a pack has both and nothing else', () => {
  fc.assert(
    fc.property(placed, ({ chunkBytes, chunks }) => {
      const stretches = [...stretchesOf(chunks, { chunkBytes })];
      for (const [index, next] of stretches.slice(1).entries()) {
        const before = stretches[index] ?? next;
        const { length } = packedPart([...before, ...next]);
        const isOnePart = length === packedPart(before).length + packedPart(next).length;
        const isOnePack = next[0].stored.pack === before[0].stored.pack;
        assert.equal(followsInPack(before, next), isOnePart && isOnePack);
        assert.ok(packedPart(next).length <= requestBytesMax({ chunkBytes }));
      }
    }),
  );
});

test('the chunks of a stretch follow each other on the disk and in one pack', () => {
  fc.assert(
    fc.property(placed, ({ chunkBytes, chunks }) => {
      for (const stretch of stretchesOf(chunks, { chunkBytes })) {
        const [first] = stretch;
        let { diskOffset, stored } = first;
        let { offset } = stored;
        for (const chunk of stretch) {
          assert.equal(chunk.diskOffset, diskOffset);
          assert.equal(chunk.stored.pack, stored.pack);
          assert.equal(chunk.stored.offset, offset);
          diskOffset += chunk.diskLength;
          offset += chunk.stored.length;
        }
        assert.deepEqual(packedPart(stretch), {
          offset: first.stored.offset,
          length: offset - first.stored.offset,
        });
      }
    }),
  );
});

test('neighbours are joined as far as there is room', () => {
  const chunkBytes = 1024 * 1024;
  const chunks = Array.from({ length: 10 }, (_, position): PlacedChunk => {
    const digest = readDigest(`sha256:${String(position).padStart(64, '0')}`);
    const stored = { digest, pack: 0, offset: position * 1000, length: 1000 };
    return { position, diskOffset: position * chunkBytes, diskLength: chunkBytes, stored };
  });
  const lengths = [...stretchesOf(chunks, { chunkBytes })].map((stretch) => stretch.length);
  assert.deepEqual(lengths, [2, 2, 2, 2, 2]);
});

test('chunks are small where the index has room for all of them', () => {
  assert.equal(chunkBytesFor(undefined), 1024 * 1024);
  assert.equal(chunkBytesFor(256 * GIBIBYTE), 1024 * 1024);
  assert.equal(chunkBytesFor(256 * GIBIBYTE + 1), 4 * 1024 * 1024);
  assert.ok((256 * GIBIBYTE) / chunkBytesFor(256 * GIBIBYTE) < 300_000);
});
