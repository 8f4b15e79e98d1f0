import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { siblingPartitions } from './sibling-partitions.ts';

test('finds the other partitions of the disk in the kernel’s layout', async (context) => {
  const sys = mkdtempSync(join(tmpdir(), 'tinkerbell-sys-'));
  context.after(() => rmSync(sys, { recursive: true }));
  const [classFolder, disk] = [join(sys, 'class/block'), join(sys, 'devices/pci0/nvme0n1')];
  for (const folder of [classFolder, join(disk, 'queue')]) mkdirSync(folder, { recursive: true });
  for (const name of ['nvme0n1p1', 'nvme0n1p15', 'nvme0n1p16']) {
    mkdirSync(join(disk, name));
    writeFileSync(join(disk, name, 'partition'), '1\n');
    symlinkSync(join(disk, name), join(classFolder, name));
  }
  symlinkSync(disk, join(classFolder, 'nvme0n1'));
  assert.deepEqual(await siblingPartitions('/dev/nvme0n1p1', classFolder), [
    '/dev/nvme0n1p15',
    '/dev/nvme0n1p16',
  ]);
  assert.deepEqual(await siblingPartitions('/dev/nvme0n1', classFolder), []);
  assert.deepEqual(await siblingPartitions('/dev/nothing', classFolder), []);
});
