import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import {
  encodeMbr,
  mbrTypes,
  PartitionTableError,
  planMbr,
  readPartitionTable,
  type Geometry,
} from './index.ts';
import { memoryDisk, type MemoryDisk } from './testing/memory-disk.ts';

const SMALL: Geometry = { sectorBytes: 512, sectors: 65_536 };

/** Writes an entry of a table at `sector`. */
function put(
  disk: MemoryDisk,
  sector: number,
  entry: { at: number; type: number; start: number; count: number },
): void {
  const view = new DataView(disk.bytes.buffer, sector * 512, 512);
  view.setUint8(446 + entry.at * 16 + 4, entry.type);
  view.setUint32(446 + entry.at * 16 + 8, entry.start, true);
  view.setUint32(446 + entry.at * 16 + 12, entry.count, true);
  view.setUint16(510, 0x55aa);
}

/** An extended partition at 2048 with two logical ones. */
function extendedDisk(): MemoryDisk {
  const disk = memoryDisk(SMALL, []);
  put(disk, 0, { at: 0, type: mbrTypes.extended, start: 2048, count: 20_000 });
  put(disk, 2048, { at: 0, type: mbrTypes['linux-filesystem'], start: 2048, count: 100 });
  put(disk, 2048, { at: 1, type: mbrTypes.extended, start: 5000, count: 1000 });
  put(disk, 7048, { at: 0, type: mbrTypes['linux-swap'], start: 63, count: 200 });
  return disk;
}

test('an entry has each field of UEFI 2.10 table 5-4', () => {
  const planned = planMbr({
    geometry: SMALL,
    diskId: 0x1234_5678,
    partitions: [{ type: mbrTypes['linux-filesystem'], active: true, size: 4096 }],
  });
  const [write] = encodeMbr(planned, SMALL);
  assert.deepEqual([...write!.bytes.subarray(440, 444)], [0x78, 0x56, 0x34, 0x12], 'disk id');
  assert.deepEqual(
    [...write!.bytes.subarray(446, 462)],
    [
      [0x80], // active
      [32, 33, 0], // first sector 2048: head 32, sector 33, cylinder 0
      [0x83], // type
      [97, 33, 0], // last sector 6143
      [0, 8, 0, 0], // first sector
      [0, 16, 0, 0], // sectors
    ].flat(),
  );
  assert.deepEqual([...write!.bytes.subarray(510)], [0x55, 0xaa]);
});

test('what is written is read again', async () => {
  const partition = fc.record({
    type: fc.constantFrom(mbrTypes['linux-filesystem'], mbrTypes.fat32, mbrTypes['linux-swap']),
    active: fc.boolean(),
    size: fc.integer({ min: 1, max: 10_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(partition, { maxLength: 4 }),
      fc.nat(0xffff_ffff),
      async (partitions, diskId) => {
        const table = planMbr({ geometry: SMALL, diskId, partitions });
        const read = await readPartitionTable(memoryDisk(SMALL, encodeMbr(table, SMALL)));
        assert.deepEqual(read, { kind: 'mbr', table });
      },
    ),
  );
});

test('reads logical partitions', async () => {
  const read = await readPartitionTable(extendedDisk());
  assert.ok(read.kind === 'mbr');
  assert.deepEqual(
    read.table.partitions.map(({ number, firstSector, lastSector }) => [number, firstSector, lastSector]),
    [
      [1, 2048, 22_047],
      [5, 4096, 4195],
      [6, 7111, 7310],
    ],
  );
});

test('refuses circles, chains that leave the partition, and overlaps', async () => {
  for (const start of [0, 5000, 30_000]) {
    const disk = extendedDisk();
    put(disk, 7048, { at: 1, type: mbrTypes.extended, start, count: 10 });
    await assert.rejects(readPartitionTable(disk), /partition \d: (its table leads|sector \d+ has no table)/);
  }
  const disk = extendedDisk();
  put(disk, 0, { at: 1, type: mbrTypes['linux-filesystem'], start: 4100, count: 10 });
  await assert.rejects(readPartitionTable(disk), /partition 2: overlaps partition 5/);
});

test('a chain of thousands of empty tables ends', async () => {
  const disk = memoryDisk(SMALL, []);
  put(disk, 0, { at: 0, type: mbrTypes.extended, start: 100, count: 60_000 });
  for (let sector = 0; sector < 59_000; sector += 1)
    put(disk, 100 + sector, { at: 1, type: mbrTypes.extended, start: sector + 1, count: 1 });
  await assert.rejects(readPartitionTable(disk), /more than 251/);
});

test('the boot sector of a file system is not a table', async () => {
  const disk = memoryDisk(SMALL, []);
  disk.bytes.fill(0x41, 0, 510);
  disk.bytes.set([0x55, 0xaa], 510);
  assert.deepEqual(await readPartitionTable(disk), { kind: 'none' });
});

test('refuses five partitions, type 0, and sectors beyond 32 bits', () => {
  const partition = { type: 0x83, size: 8 };
  const plan = (partitions: Parameters<typeof planMbr>[0]['partitions'], sectors = 65_536) =>
    planMbr({ geometry: { sectorBytes: 512, sectors }, diskId: 0, partitions });
  assert.throws(() => plan(Array.from({ length: 5 }, () => partition)), /at most 4, not 5: use a GPT/);
  assert.throws(() => encodeMbr(plan([{ ...partition, type: 0 }]), SMALL), PartitionTableError);
  assert.throws(() => plan([{ type: 0x83, size: 2 ** 32 }], 2 ** 34), /do not fit/);
  assert.equal(plan([{ type: 0x83, size: 'rest' }], 2 ** 34).partitions[0]?.lastSector, 2 ** 32 - 2049);
});
