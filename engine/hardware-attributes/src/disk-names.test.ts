import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { readDiskNames } from './disk-names.ts';

const root = mkdtempSync(join(tmpdir(), 'disk-names-'));
after(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  const target = join(root, 'sys/block', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${text}\n`);
}

test('names are those of udev, also of partitions', () => {
  write('sda/device/wwid', 'naa.5000c500a1b2c3d4');
  write('sda/sda1/partition', '1');
  write('sda/queue/rotational', '1');
  write('sdb/device/wwid', 't10.ATA     QEMU HARDDISK    QM00001');
  write('nvme0n1/wwid', 'eui.0025385b71b2ae1e');
  write('nvme0n1/device/model', 'QEMU NVMe Ctrl   ');
  write('nvme0n1/device/serial', 'S3/../x');
  write('nvme0n1/nvme0n1p2/partition', '2');
  write('vda/serial', 'disk 7');
  write('vdb/size', '1');
  write('loop0/wwid', 'naa.5000c500a1b2c3d4');
  assert.deepEqual(
    readDiskNames(root).map(({ name, device }) => `${name} ${device}`),
    [
      'nvme-eui.0025385b71b2ae1e nvme0n1',
      'nvme-eui.0025385b71b2ae1e-part2 nvme0n1p2',
      'nvme-QEMU_NVMe_Ctrl_S3_.._x nvme0n1',
      'nvme-QEMU_NVMe_Ctrl_S3_.._x-part2 nvme0n1p2',
      'wwn-0x5000c500a1b2c3d4 sda',
      'wwn-0x5000c500a1b2c3d4-part1 sda1',
      'scsi-35000c500a1b2c3d4 sda',
      'scsi-35000c500a1b2c3d4-part1 sda1',
      'virtio-disk_7 vda',
    ],
  );
});

test('two disks with the same identity: the first one has the name', () => {
  write('sdc/device/wwid', 'naa.5000c500a1b2c3d4');
  const found = readDiskNames(root).filter(({ name }) => name === 'wwn-0x5000c500a1b2c3d4');
  assert.deepEqual(found, [{ name: 'wwn-0x5000c500a1b2c3d4', device: 'sda' }]);
});
