import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import { readAttributes, readCpu, sizeText } from './hardware-attributes.ts';
import { firstMac } from './network-attributes.ts';

const root = mkdtempSync(join(tmpdir(), 'attributes-test-'));
after(() => rmSync(root, { recursive: true }));

const FILES: Record<string, string> = {
  'proc/cpuinfo':
    'processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon\nphysical id\t: 0\ncore id\t\t: 0\nflags\t\t: fpu sse\n',
  'proc/meminfo': 'MemTotal:        1000000 kB\n',
  'sys/devices/system/memory/block_size_bytes': '8000000',
  'sys/devices/system/memory/memory0/online': '1',
  'sys/devices/system/memory/memory1/online': '1',
  'sys/devices/system/memory/memory2/online': '0',
  'sys/block/vda/size': '6291456',
  'sys/block/vda/queue/rotational': '1',
  'sys/block/vda/queue/physical_block_size': '512',
  'sys/block/vda/serial': 'disk-1',
  'sys/block/loop0/size': '100',
  'sys/class/net/eth0/address': '02:AB:00:00:00:01',
  'sys/class/net/eth0/speed': '1000',
  'sys/class/net/lo/address': '00:00:00:00:00:00',
  'sys/bus/pci/devices/0000:00:01.0/vendor': '0x1234',
  'sys/bus/pci/devices/0000:00:01.0/device': '0x1111',
  'sys/bus/pci/devices/0000:00:01.0/class': '0x030000',
  'sys/class/dmi/id/product_name': 'PowerEdge',
  'sys/class/dmi/id/product_serial': 'S123',
};
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${text}\n`);
}
symlinkSync('../../../devices/pci/eth0', join(root, 'sys/class/net/eth0/device'));

test('reads disks, network, PCI and DMI facts from /sys', () => {
  const attributes = readAttributes(root);
  assert.deepEqual(
    attributes.block.map(({ name, size, controllerType, driveType, physicalBlockSize, serialNumber }) => ({
      name,
      size,
      controllerType,
      driveType,
      physicalBlockSize,
      serialNumber,
    })),
    [
      {
        name: 'vda',
        size: '3GB',
        controllerType: 'virtio',
        driveType: 'HDD',
        physicalBlockSize: '512B',
        serialNumber: 'disk-1',
      },
    ],
  );
  assert.deepEqual(
    attributes.network.map(({ name, mac, speed }) => ({ name, mac, speed })),
    [{ name: 'eth0', mac: '02:ab:00:00:00:01', speed: '1000Mb/s' }],
  );
  assert.equal(attributes.gpu[0]?.vendor, '0x1234');
  assert.equal(attributes.product?.name, 'PowerEdge');
  assert.equal(attributes.product?.serialNumber, 'S123');
  assert.equal(firstMac(join(root, 'sys')), '02:ab:00:00:00:01');
});

test('counts installed memory by its blocks and usable memory by the kernel', () => {
  const { memory } = readAttributes(root);
  assert.equal(memory?.usable, '977MB');
  assert.equal(memory?.total, '977MB', 'the larger of both');
});

test('counts sockets, cores and threads', () => {
  const thread = (id: number, core: number, socket: number): string =>
    `processor\t: ${id}\nvendor_id\t: V\nphysical id\t: ${socket}\ncore id\t: ${core}\n`;
  const cpu = readCpu([thread(0, 0, 0), thread(1, 0, 0), thread(2, 1, 0), thread(3, 0, 1)].join('\n'));
  assert.equal(cpu.totalCores, 3);
  assert.equal(cpu.totalThreads, 4);
  assert.deepEqual(
    cpu.processors.map(({ id, cores, threads }) => [id, cores, threads]),
    [
      [0, 2, 3],
      [1, 1, 1],
    ],
  );
});

test('rounds sizes up', () => {
  assert.deepEqual([0, 1, 1024, 1025, 3 * 1024 ** 3, 1024 ** 3 + 1].map(sizeText), [
    '',
    '1B',
    '1KB',
    '2KB',
    '3GB',
    '2GB',
  ]);
});

test('returns empty text on a machine without facts', () => {
  const attributes = readAttributes(join(root, 'nothing'));
  assert.equal(attributes.product?.name, '');
  assert.deepEqual(attributes.block, []);
});
