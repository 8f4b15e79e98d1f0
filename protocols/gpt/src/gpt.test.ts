import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import {
  crc32,
  encodeGpt,
  guidFromBytes,
  guidToBytes,
  PartitionTableError,
  partitionTypeName,
  partitionTypes,
  planGpt,
  readGuid,
  readPartitionTable,
  type Geometry,
  type GptTable,
  type Guid,
} from './index.ts';
import { memoryDisk } from './testing/memory-disk.ts';

const DISK_ID: Guid = '00112233-4455-6677-8899-aabbccddeeff';
const SMALL: Geometry = { sectorBytes: 512, sectors: 65_536 };
const guidNumber = (number: number): Guid => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function table(geometry = SMALL): GptTable {
  return planGpt({
    geometry,
    diskId: DISK_ID,
    partitions: [
      { name: 'EFI', type: 'efi-system', id: guidNumber(1), size: 4096, attributes: { required: true } },
      { name: 'root', type: 'linux-filesystem', id: guidNumber(2), size: 'rest' },
    ],
  });
}

test('CRC-32 of the check value', () =>
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926));

test('a GUID has three little-endian groups', () => {
  const bytes = guidToBytes(DISK_ID);
  assert.deepEqual([...bytes.subarray(0, 10)], [0x33, 0x22, 0x11, 0, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99]);
  assert.equal(guidFromBytes(bytes), DISK_ID);
  assert.equal(readGuid(DISK_ID.toUpperCase(), 'id'), DISK_ID);
  assert.throws(() => readGuid('x', 'id'), /id: "x" is not a GUID/);
  assert.equal(partitionTypeName(partitionTypes['efi-system']), 'efi-system');
});

test('the header has each field of UEFI 2.10 table 5-5', () => {
  const [, , , primary] = encodeGpt(table(), SMALL);
  const view = new DataView(primary!.bytes.buffer, primary!.bytes.byteOffset);
  assert.equal(primary!.offset, 512);
  assert.equal(new TextDecoder().decode(primary!.bytes.subarray(0, 8)), 'EFI PART');
  assert.equal(view.getUint32(8, true), 0x10000, 'revision');
  assert.equal(view.getUint32(12, true), 92, 'header size');
  assert.equal(view.getUint32(20, true), 0, 'reserved');
  assert.equal(view.getBigUint64(24, true), 1n, 'own sector');
  assert.equal(view.getBigUint64(32, true), 65_535n, 'other sector');
  assert.equal(view.getBigUint64(40, true), 34n, 'first usable sector');
  assert.equal(view.getBigUint64(48, true), 65_502n, 'last usable sector');
  assert.equal(guidFromBytes(primary!.bytes, 56), DISK_ID, 'disk id');
  assert.equal(view.getBigUint64(72, true), 2n, 'entries');
  assert.equal(view.getUint32(80, true), 128, 'entry count');
  assert.equal(view.getUint32(84, true), 128, 'entry size');
});

test('partitions start at 1 MiB, and the rest ends aligned', () => {
  assert.deepEqual(
    table().partitions.map(({ firstSector, lastSector }) => [firstSector, lastSector]),
    [
      [2048, 6143],
      [6144, 63_487],
    ],
  );
  const large = table({ sectorBytes: 4096, sectors: 65_536 });
  assert.equal(large.partitions[0]?.firstSector, 256);
});

for (const [what, change, field] of [
  ['a partition of no sectors', { size: 0 }, 'partitions[0].size'],
  ['a size that is not whole', { size: 1.5 }, 'partitions[0].size'],
  ['a partition larger than the disk', { size: 65_536 }, 'partitions[0].size'],
  ['a size beyond 2^53', { size: 2 ** 60 }, 'partitions[0].size'],
  ['a name of 37 characters', { name: 'x'.repeat(37) }, 'partition 1.name'],
  ['a name with NUL', { name: 'a\0b' }, 'partition 1.name'],
  ['attributes of 17 bits', { attributes: { typeSpecific: 0x10000 } }, 'partition 1.attributes'],
  ['the type of unused entries', { type: '00000000-0000-0000-0000-000000000000' }, 'partition 1.type'],
] as const)
  test(`refuses ${what}`, () => {
    const partition = { name: 'a', type: 'linux-swap', id: guidNumber(1), size: 8, ...change } as const;
    assert.throws(
      () => planGpt({ geometry: SMALL, diskId: DISK_ID, partitions: [partition] }),
      (error) => error instanceof PartitionTableError && error.field === field,
    );
  });

test('refuses a disk without room, a rest in the middle, and an id that is used twice', () => {
  const swap = { name: '', type: 'linux-swap', id: guidNumber(1), size: 'rest' } as const;
  const plan = (geometry: Geometry, partitions: Parameters<typeof planGpt>[0]['partitions']) => () =>
    planGpt({ geometry, diskId: DISK_ID, partitions });
  assert.throws(plan({ sectorBytes: 512, sectors: 40 }, []), /too small for a GPT/);
  assert.throws(plan({ sectorBytes: 512, sectors: 2048 }, [swap]), /room for 0/);
  assert.throws(plan(SMALL, [swap, { ...swap, id: guidNumber(2) }]), /only the last partition/);
  assert.throws(plan(SMALL, [{ ...swap, size: 1 }, swap]), /is used twice/);
  assert.throws(plan({ sectorBytes: 520, sectors: 65_536 }, []), /sectorBytes/);
  assert.throws(
    plan(
      SMALL,
      Array.from({ length: 129 }, () => swap),
    ),
    /at most 128/,
  );
});

/** A table that fits its disk: sizes, names of any UTF-16 units without NUL, all attributes. */
const anyPlan = fc
  .record({
    sectorBytes: fc.constantFrom(512, 1024, 2048, 4096),
    sectors: fc.integer({ min: 65_536, max: 70_000 }),
    partitions: fc.array(
      fc.record({
        name: fc
          .string({ unit: 'grapheme', maxLength: 36 })
          .map((text) => text.replaceAll('\0', '').slice(0, 36)),
        type: fc.constantFrom(...Object.values(partitionTypes)),
        size: fc.integer({ min: 1, max: 4096 }),
        typeSpecific: fc.nat({ max: 0xffff }),
        flags: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
      }),
      { maxLength: 8 },
    ),
  })
  .map(({ sectorBytes, sectors, partitions }) => ({
    geometry: { sectorBytes, sectors },
    diskId: DISK_ID,
    partitions: partitions.map(({ name, type, size, typeSpecific, flags }, index) => ({
      name,
      type,
      size,
      id: guidNumber(index),
      attributes: {
        ...(flags[0] ? { required: true } : {}),
        ...(flags[1] ? { noBlockIo: true } : {}),
        ...(flags[2] ? { legacyBootable: true } : {}),
        ...(typeSpecific === 0 ? {} : { typeSpecific }),
      },
    })),
  }));

test('what is written is read again', async () => {
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const planned = planGpt(plan);
      const disk = memoryDisk(plan.geometry, encodeGpt(planned, plan.geometry));
      const read = await readPartitionTable(disk);
      assert.deepEqual(read, { kind: 'gpt', table: planned, copy: 'primary', problems: [] });
    }),
    { numRuns: 40 },
  );
});

/** Every byte of both copies and of the protective MBR that is covered by a check. */
test('one damaged byte is noticed, and the other copy is read', async () => {
  const planned = table();
  const writes = encodeGpt(planned, SMALL);
  const place = fc.constantFrom(0, 1, 2, 3).chain((index) => {
    const isHeader = index % 2 === 1;
    const length = isHeader ? 92 : writes[index]!.bytes.length;
    return fc.record({ index: fc.constant(index), at: fc.nat({ max: length - 1 }) });
  });
  await fc.assert(
    fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async ({ index, at }, change) => {
      const disk = memoryDisk(SMALL, writes);
      const offset = writes[index]!.offset + at;
      disk.bytes[offset] = disk.bytes[offset]! ^ change;
      const read = await readPartitionTable(disk);
      assert.ok(read.kind === 'gpt');
      assert.deepEqual(read.table, planned);
      assert.equal(read.copy, index < 2 ? 'primary' : 'backup');
      assert.equal(read.problems.length, 1, read.problems.join());
    }),
    { numRuns: 100 },
  );
});

test('both copies damaged: the error names both reasons', async () => {
  const writes = encodeGpt(table(), SMALL);
  const disk = memoryDisk(SMALL, writes);
  disk.bytes[writes[3]!.offset + 40] = 7;
  disk.bytes[writes[0]!.offset + 3] = 7;
  await assert.rejects(
    readPartitionTable(disk),
    /GPT: both copies are damaged: primary header CRC: is 0x[0-9a-f]{8}, and the bytes have .*; backup entries CRC/,
  );
});

test('a missing protective MBR, and a backup of another table, are reported', async () => {
  const disk = memoryDisk(SMALL, encodeGpt(table(), SMALL));
  disk.bytes.fill(0, 0, 512);
  const other = encodeGpt({ ...table(), partitions: [] }, SMALL).slice(0, 2);
  for (const write of other) disk.bytes.set(write.bytes, write.offset);
  const read = await readPartitionTable(disk);
  assert.ok(read.kind === 'gpt');
  assert.deepEqual(read.problems, ['the protective MBR is missing', 'the backup is of another table']);
});

test('a disk that has grown keeps its table', async () => {
  const writes = encodeGpt(table(), SMALL);
  const read = await readPartitionTable(memoryDisk({ ...SMALL, sectors: 80_000 }, writes));
  assert.deepEqual(read, { kind: 'gpt', table: table(), copy: 'primary', problems: [] });
});

/** Headers with a valid CRC and any numbers: they lead anywhere, and no read may be large. */
test('hostile headers end in a table or a PartitionTableError', async () => {
  const fields = [24, 32, 40, 48, 72] as const;
  const number = fc.oneof(
    fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
    fc.bigInt({ min: 0n, max: 70_000n }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...fields),
      number,
      fc.record({ count: fc.nat(0xffff_ffff), size: fc.constantFrom(0, 1, 128, 256, 4096, 0x8000_0000) }),
      async (field, value, { count, size }) => {
        const writes = encodeGpt(table(), SMALL);
        const { bytes } = writes[3]!;
        const view = new DataView(bytes.buffer, bytes.byteOffset);
        view.setBigUint64(field, value, true);
        view.setUint32(80, count, true);
        view.setUint32(84, size, true);
        view.setUint32(16, 0, true);
        view.setUint32(16, crc32(bytes.subarray(0, 92)), true);
        const disk = memoryDisk(SMALL, writes);
        const read = async (offset: number, length: number): Promise<Uint8Array> => {
          assert.ok(length <= 1024 * 1024, `${length} bytes at once`);
          return disk.read(offset, length);
        };
        const result = await readPartitionTable({ ...SMALL, read });
        // Four entries of 4096 bytes have the same checksum as 128 of 128 bytes.
        assert.ok(result.kind === 'gpt' && result.table.partitions.length > 0);
      },
    ),
  );
});

test('random disks are read or refused with a PartitionTableError', async () => {
  const sectors = fc.array(fc.uint8Array({ minLength: 512, maxLength: 512 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sectors, fc.boolean(), async (content, sign) => {
      const writes = content.map((bytes, index) => ({ offset: index * 512, bytes }));
      const disk = memoryDisk({ sectorBytes: 512, sectors: content.length }, writes);
      if (sign) {
        disk.bytes.set([0x55, 0xaa], 510);
        for (const at of [446, 462, 478, 494]) disk.bytes[at] = 0;
      }
      try {
        await readPartitionTable(disk);
      } catch (error) {
        assert.ok(error instanceof PartitionTableError, String(error));
      }
    }),
  );
});
