import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { ChunkThreads, type Slot } from './chunk-threads.ts';

const CHUNK = 64 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'chunk-threads-'));
after(() => rmSync(directory, { recursive: true }));

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

/** A used disk, until the end of the scope. */
function usedDisk(bytes: number): Disposable & { readonly path: string; readonly descriptor: number } {
  const path = join(directory, 'disk');
  writeFileSync(path, Buffer.alloc(bytes, 0xaa));
  const descriptor = openSync(path, 'r+');
  return { path, descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Both halves of the bytes, packed. */
function piecesIn(slot: Slot, bytes: Uint8Array) {
  const half = bytes.length >>> 1;
  let at = 0;
  return [bytes.subarray(0, half), bytes.subarray(half)].map((part, index) => {
    const packed = zstdCompressSync(part);
    slot.packed.set(packed, at);
    const piece = { packed: { start: at, length: packed.length }, start: index * half, length: part.length };
    at += packed.length;
    return { piece, sha256: hash('sha256', part) };
  });
}

for (const withFfi of [true, false])
  test(`a stretch with any zeros is written whole, ${withFfi ? 'and long zeros are holes' : 'also without node:ffi'}`, async () => {
    await using threads = startThreads(1, withFfi);
    const slot = slotOf(threads, 0);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ blocks: fc.integer({ min: 1, max: 90 }), zero: fc.boolean() }), {
          maxLength: 6,
        }),
        fc.nat({ max: 5000 }),
        async (parts, tail) => {
          const runs = parts.map(({ blocks, zero }) => Buffer.alloc(blocks * 4096, zero ? 0 : 'data'));
          const bytes = Buffer.concat([...runs, Buffer.alloc(2 + tail, 1)]);
          using disk = usedDisk(4096 + bytes.length + 4096);
          const blocksBefore = statSync(disk.path).blocks;
          const all = piecesIn(slot, bytes);
          const sha256 = all.map((one) => one.sha256);
          const files = { direct: disk.descriptor, buffered: disk.descriptor };
          const order = { pieces: all.map(({ piece }) => piece), sha256, offset: 4096, ...files };
          assert.deepEqual(await threads.write(slot, order), sha256);
          const around = Buffer.alloc(4096, 0xaa);
          assert.ok(readFileSync(disk.path).equals(Buffer.concat([around, bytes, around])));
          const isLong = parts.some(({ blocks, zero }) => zero && blocks >= 80);
          if (withFfi && isLong) assert.ok(statSync(disk.path).blocks < blocksBefore);
        },
      ),
      { numRuns: 30 },
    );
  });

test('nothing is written when one digest is wrong, and a disk that refuses is an error of the order alone', async () => {
  await using threads = startThreads(1);
  const slot = slotOf(threads, 0);
  using disk = usedDisk(CHUNK);
  const bytes = Buffer.alloc(CHUNK, 'data');
  const [one, other] = piecesIn(slot, bytes);
  assert.ok(one !== undefined && other !== undefined);
  const files = { direct: disk.descriptor, buffered: disk.descriptor };
  const order = {
    pieces: [one.piece, other.piece],
    sha256: [one.sha256, '0'.repeat(64)],
    offset: 0,
    ...files,
  };
  assert.deepEqual(await threads.write(slot, order), [one.sha256, other.sha256]);
  assert.ok(readFileSync(disk.path).every((byte) => byte === 0xaa));
  const sha256 = [one.sha256, other.sha256];
  using readOnly = openedToRead(disk.path);
  await assert.rejects(threads.write(slot, { ...order, sha256, direct: readOnly.descriptor }), /EBADF/);
  assert.deepEqual(await threads.write(slot, { ...order, sha256 }), sha256);
  assert.ok(readFileSync(disk.path).equals(bytes));
});

function openedToRead(path: string): Disposable & { readonly descriptor: number } {
  const descriptor = openSync(path, 'r');
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

test('a thread that ends is a failure with a reason, also for later orders', async () => {
  await using threads = startThreads(1);
  const absent = { ...slotOf(threads, 0), number: 9 };
  await assert.rejects(threads.digests(absent, []), /a thread that unpacks chunks ended: there is no slot 9/);
  await assert.rejects(threads.digests(slotOf(threads, 0), []), /there is no slot 9/);
});
