/** Tables that we write, read by sgdisk, sfdisk and partx, and tables that they write, read by us. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import {
  encodeGpt,
  encodeMbr,
  mbrTypes,
  planGpt,
  planMbr,
  readPartitionTable,
  type DiskSource,
  type DiskWrite,
  type Geometry,
} from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'gpt-test-'));
after(() => rmSync(directory, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const DISK_BYTES = 64 * MEBIBYTE;

const skip = {
  sgdisk: has('sgdisk', '--version') ? false : 'sgdisk is not installed (package gdisk)',
  fdisk:
    has('sfdisk', '--version') && has('partx', '--version') ? false : 'sfdisk and partx are not installed',
};

function has(program: string, argument: string): boolean {
  try {
    execFileSync(program, [argument], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

function run(program: string, args: readonly string[], input = ''): string {
  return execFileSync(program, args, { input, stdio: 'pipe' }).toString();
}

let images = 0;
function imageWith(writes: readonly DiskWrite[]): string {
  images += 1;
  const path = join(directory, `disk-${images}.img`);
  writeFileSync(path, '');
  truncateSync(path, DISK_BYTES);
  writeTo(path, writes);
  return path;
}

function writeTo(path: string, writes: readonly DiskWrite[]): void {
  const file = openSync(path, 'r+');
  for (const { offset, bytes } of writes) writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

function sourceOf(path: string, sectorBytes: number, sizeBytes = statSync(path).size): DiskSource {
  return {
    sectorBytes,
    sectors: sizeBytes / sectorBytes,
    read: async (offset, length) => {
      const file = openSync(path, 'r');
      const bytes = Buffer.alloc(length);
      const count = readSync(file, bytes, 0, length, offset);
      closeSync(file);
      return bytes.subarray(0, count);
    },
  };
}

/** Skips the test where there are no loop devices. */
function loopDevice(context: TestContext, path: string, sectorBytes: number): string | undefined {
  try {
    const device = run('losetup', ['-f', '--show', '-b', String(sectorBytes), path]).trim();
    context.after(() => execFileSync('losetup', ['-d', device]));
    return device;
  } catch {
    context.skip('needs root and loop devices');
    return undefined;
  }
}

function gptWrites(geometry: Geometry): readonly DiskWrite[] {
  const unit = MEBIBYTE / geometry.sectorBytes;
  const id = (last: string) => `aaaaaaaa-bbbb-4ccc-8ddd-${last.padStart(12, '0')}` as const;
  const table = planGpt({
    geometry,
    diskId: id('0'),
    partitions: [
      { name: 'BIOS', type: 'bios-boot', id: id('1'), size: unit, attributes: { legacyBootable: true } },
      { name: 'EFI', type: 'efi-system', id: id('2'), size: 8 * unit, attributes: { required: true } },
      { name: 'größe 🖴', type: 'linux-filesystem', id: id('3'), size: 'rest' },
    ],
  });
  return encodeGpt(table, geometry);
}

test('sgdisk finds no problem in a GPT that we write', { skip: skip.sgdisk }, () => {
  const path = imageWith(gptWrites({ sectorBytes: 512, sectors: DISK_BYTES / 512 }));
  assert.match(run('sgdisk', ['--verify', path]), /No problems found/);
  assert.match(
    run('sgdisk', ['--info=1', path]),
    /21686148-6449-6E6F-744E-656564454649 \(BIOS boot partition\)[^]*flags: 0000000000000004/,
  );
});

for (const sectorBytes of [512, 4096])
  test(
    `sfdisk and partx read a GPT that we write to sectors of ${sectorBytes} bytes`,
    { skip: skip.fdisk },
    (context) => {
      const path = imageWith(gptWrites({ sectorBytes, sectors: DISK_BYTES / sectorBytes }));
      const device = loopDevice(context, path, sectorBytes);
      if (device === undefined) return;
      assert.match(run('sfdisk', ['--verify', device]), /No errors detected/);
      const { partitiontable } = JSON.parse(run('sfdisk', ['--json', device]));
      assert.equal(partitiontable.sectorsize, sectorBytes);
      assert.equal(partitiontable.id, 'AAAAAAAA-BBBB-4CCC-8DDD-000000000000');
      assert.deepEqual(
        partitiontable.partitions.map(({ start, size, name }: Record<string, unknown>) => ({
          start,
          size,
          name,
        })),
        [
          { start: MEBIBYTE / sectorBytes, size: MEBIBYTE / sectorBytes, name: 'BIOS' },
          { start: (2 * MEBIBYTE) / sectorBytes, size: (8 * MEBIBYTE) / sectorBytes, name: 'EFI' },
          { start: (10 * MEBIBYTE) / sectorBytes, size: (53 * MEBIBYTE) / sectorBytes, name: 'größe 🖴' },
        ],
      );
      assert.equal(run('partx', ['-g', '-o', 'NAME', device]).trim().split('\n').length, 3);
      if (skip.sgdisk === false) assert.match(run('sgdisk', ['--verify', device]), /No problems found/);
    },
  );

test('sfdisk and partx read an MBR that we write', { skip: skip.fdisk }, () => {
  const geometry = { sectorBytes: 512, sectors: DISK_BYTES / 512 };
  const table = planMbr({
    geometry,
    diskId: 0xcafe_0001,
    partitions: [
      { type: mbrTypes.fat32, active: true, size: 4096 },
      { type: mbrTypes['linux-filesystem'], size: 'rest' },
    ],
  });
  const path = imageWith(encodeMbr(table, geometry));
  assert.match(run('sfdisk', ['--verify', path]), /No errors detected/);
  const { partitiontable } = JSON.parse(run('sfdisk', ['--json', path]));
  assert.equal(partitiontable.label, 'dos');
  assert.equal(partitiontable.id, '0xcafe0001');
  assert.deepEqual(
    partitiontable.partitions.map(({ start, size, type, bootable }: Record<string, unknown>) => [
      start,
      size,
      type,
      bootable,
    ]),
    [
      [2048, 4096, 'c', true],
      [6144, 124_928, '83', undefined],
    ],
  );
});

test('we read a GPT of sgdisk, and its backup after damage', { skip: skip.sgdisk }, async () => {
  const path = imageWith([]);
  run('sgdisk', [
    '--new=1:2048:+8M',
    '--typecode=1:ef00',
    '--change-name=1:boot',
    '--new=3:0:0',
    '--attributes=3:set:2',
    path,
  ]);
  const read = await readPartitionTable(sourceOf(path, 512));
  assert.ok(read.kind === 'gpt');
  assert.deepEqual(read.problems, []);
  assert.deepEqual(
    read.table.partitions.map(({ number, name, attributes }) => ({ number, name, attributes })),
    [
      { number: 1, name: 'boot', attributes: {} },
      { number: 3, name: '', attributes: { legacyBootable: true } },
    ],
  );
  writeTo(path, [{ offset: 600, bytes: Buffer.alloc(4, 7) }]);
  const damaged = await readPartitionTable(sourceOf(path, 512));
  assert.ok(damaged.kind === 'gpt');
  assert.equal(damaged.copy, 'backup');
  assert.deepEqual(damaged.table, read.table);
});

test('a new table is readable from the moment its backup is written', async () => {
  const geometry = { sectorBytes: 512, sectors: DISK_BYTES / 512 };
  const writes = gptWrites(geometry);
  for (let count = 2; count < writes.length; count += 1) {
    const path = imageWith(writes.slice(0, count));
    const read = await readPartitionTable(sourceOf(path, 512));
    assert.ok(read.kind === 'gpt' && read.table.partitions.length === 3, `after ${count} writes`);
  }
});

test('we read logical partitions of sfdisk', { skip: skip.fdisk }, async () => {
  const path = imageWith([]);
  run('sfdisk', [path], 'label: dos\n,8M,L,*\n,,E\n,4M,S\n,4M,L\n,4M,L\n');
  const read = await readPartitionTable(sourceOf(path, 512));
  assert.ok(read.kind === 'mbr');
  const { partitiontable } = JSON.parse(run('sfdisk', ['--json', path]));
  assert.deepEqual(
    read.table.partitions.map(({ firstSector, lastSector }) => [firstSector, lastSector - firstSector + 1]),
    partitiontable.partitions.map(({ start, size }: { start: number; size: number }) => [start, size]),
  );
  assert.deepEqual(
    read.table.partitions.map(({ number }) => number),
    [1, 2, 5, 6, 7],
  );
});
