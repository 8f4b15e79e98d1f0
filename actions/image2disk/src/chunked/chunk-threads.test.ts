import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { ChunkThreads, type Slot } from './chunk-threads.ts';

const CHUNK = 64 * 1024;

function startThreads(slots: number, withFfi = true): ChunkThreads {
  const threads = new ChunkThreads({ withFfi });
  threads.allocate({ chunkBytes: CHUNK }, { slots });
  return threads;
}

function slotOf(threads: ChunkThreads, number: number): Slot {
  const slot = threads.slots[number];
  assert.ok(slot !== undefined);
  return slot;
}

function place(slot: Slot, packed: Uint8Array): { readonly start: number; readonly length: number } {
  slot.packed.set(packed, 3);
  return { start: 3, length: packed.length };
}

for (const withFfi of [true, false]) {
  const how = withFfi ? 'with node:ffi' : 'without node:ffi';
  test(`what is unpacked ${how} has the digest of its bytes, and lies where it was wanted`, async () => {
    await using threads = startThreads(2, withFfi);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 5000 }),
        fc.nat({ max: 9 }),
        fc.nat({ max: 1 }),
        async (bytes, start, number) => {
          const slot = slotOf(threads, number);
          const length = bytes.length;
          const packed = place(slot, zstdCompressSync(bytes));
          const wanted = hash('sha256', bytes);
          assert.deepEqual(await threads.digests(slot, [{ packed, start, length }]), [wanted]);
          assert.ok(slot.disk.subarray(start, start + length).equals(bytes));
          assert.deepEqual(await threads.digests(slot, [{ start, length }]), [wanted]);
        },
      ),
      { numRuns: 30 },
    );
  });

  test(`noise, a chunk that is cut off, and one that unpacks to another length have no digest ${how}`, async () => {
    await using threads = startThreads(1, withFfi);
    const slot = slotOf(threads, 0);
    const packed = zstdCompressSync(Buffer.alloc(100 * CHUNK, 'chunk'));
    const digestOf = async (bytes: Uint8Array): Promise<readonly string[]> =>
      await threads.digests(slot, [{ packed: place(slot, bytes), start: 0, length: CHUNK }]);
    assert.deepEqual(await digestOf(packed), ['']);
    assert.deepEqual(await digestOf(packed.subarray(0, 20)), ['']);
    assert.deepEqual(await digestOf(zstdCompressSync(Buffer.alloc(CHUNK - 1))), ['']);
    assert.deepEqual(await digestOf(Buffer.from('noise')), ['']);
  });
}

test('a thread that ends is a failure with a reason, also for later orders', async () => {
  await using threads = startThreads(1);
  const absent = { ...slotOf(threads, 0), number: 9 };
  await assert.rejects(threads.digests(absent, []), /a thread that unpacks chunks ended: there is no slot 9/);
  await assert.rejects(threads.digests(slotOf(threads, 0), []), /there is no slot 9/);
});
