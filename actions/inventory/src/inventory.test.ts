import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import { missingPrograms, quietContext, serve } from '@tinkerbell/action-kit/testing';

import { inventoryAction } from './inventory.ts';
import { firmwareIn } from './network-facts.ts';
import { readInventory } from './read-inventory.ts';

const root = mkdtempSync(join(tmpdir(), 'inventory-test-'));
after(() => rmSync(root, { recursive: true }));

const FILES: Readonly<Record<string, string>> = {
  'proc/meminfo': 'MemTotal:        1000000 kB\nSwapTotal:             0 kB',
  'proc/cpuinfo': 'processor\t: 0\nmodel name\t: Xeon',
  'sys/block/nvme0n1/size': '6291456',
  'sys/block/nvme0n1/wwid': 'eui.01',
  'sys/block/nvme0n1/device/serial': 'S1',
  'sys/block/nvme0n1/device/firmware_rev': 'F2',
  'sys/block/nvme0n1/queue/logical_block_size': '512',
  'sys/block/loop0/size': '100',
  'sys/class/net/eth0/address': '02:AB:00:00:00:01',
  'sys/class/net/eth0/speed': '-1',
  'sys/class/net/eth0/operstate': 'down',
  'sys/class/net/lo/address': '00:00:00:00:00:00',
  'sys/bus/pci/devices/0000:00:01.0/vendor': '0x1234',
  'sys/bus/pci/devices/0000:00:01.0/subsystem_device': '0x0001',
  'sys/firmware/efi/fw_platform_size': '64',
};

test('reads disks with their names, links and PCI devices, and marks what is unknown', () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  mkdirSync(join(root, 'dev/disk/by-id'), { recursive: true });
  for (const name of ['nvme-eui.01', 'nvme-Disk_S1'])
    symlinkSync('../../nvme0n1', join(root, 'dev/disk/by-id', name));
  symlinkSync('../../../0000:00:01.0', join(root, 'sys/class/net/eth0/device'));
  const found = readInventory(root, new Map([['eth0', '1.2.3']]));
  assert.equal(found.disks.length, 1);
  const [disk] = found.disks;
  assert.deepEqual(
    [disk?.path, disk?.sizeBytes, disk?.serial, disk?.wwn, disk?.firmware, disk?.model],
    ['/dev/nvme0n1', 6_291_456 * 512, 'S1', 'eui.01', 'F2', ''],
  );
  assert.deepEqual(disk?.byId, ['nvme-Disk_S1', 'nvme-eui.01']);
  const [nic, ...others] = found.network;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [nic?.mac, nic?.firmware, nic?.pciAddress, nic?.state, nic?.speedMegabits],
    ['02:ab:00:00:00:01', '1.2.3', '0000:00:01.0', 'down', 0],
  );
  assert.equal(found.pci[0]?.['subsystem_device'], '0x0001');
  assert.equal(found.memory.totalBytes, 1_024_000_000);
  assert.equal(found.firmware.kind, 'uefi');
});

test('an empty system is an inventory without entries', () => {
  const empty = mkdtempSync(join(tmpdir(), 'inventory-empty-'));
  const { disks, network, pci, firmware } = readInventory(empty, new Map());
  rmSync(empty, { recursive: true });
  assert.deepEqual([disks, network, pci, firmware.kind], [[], [], [], 'bios']);
});

test('reads what ethtool prints', () => {
  assert.equal(firmwareIn('driver: e1000e\nfirmware-version: 0.5-4\nbus-info: x'), '0.5-4');
  assert.equal(firmwareIn('driver: veth\nfirmware-version: \nbus-info: '), '');
});

test(
  'prints and sends the inventory of this machine',
  { skip: missingPrograms('lsblk') },
  async (context) => {
    const received: string[] = [];
    const address = await serve(context, (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        received.push(text);
        // The first attempt meets an overloaded server.
        response.writeHead(received.length === 1 ? 503 : 204).end();
      });
    });
    const lines: string[] = [];
    const quiet = quietContext();
    const log = { ...quiet.log, info: (line: string) => void lines.push(line) };
    const result = await inventoryAction.run({ DEST_URL: `${address}/a` }, { ...quiet, log });
    assert.ok(result.ok, result.ok ? '' : result.error);
    assert.equal(received.length, 2);
    assert.equal(lines.join('\n'), received[1]);
    assert.ok(lines.every((line) => line.length < 4096));
    const inventory: unknown = JSON.parse(received[1] ?? '');
    const disks = (inventory as { disks: { name: string; sizeBytes: number }[] }).disks;
    const shown = execFileSync('lsblk', ['-b', '-d', '-n', '-e', '1,7', '-o', 'NAME,SIZE']).toString();
    for (const line of shown.trim().split('\n').filter(Boolean)) {
      const [name, size] = line.trim().split(/\s+/);
      if (/^(dm-|md|zram|fd)/.test(name ?? '')) continue;
      assert.equal(disks.find((disk) => disk.name === name)?.sizeBytes, Number(size));
    }
  },
);

test('a refusal is final and named, and a wrong address is a problem', async (context) => {
  let requests = 0;
  const address = await serve(context, (_request, response) => {
    requests += 1;
    response.writeHead(422).end('no such machine');
  });
  const refused = await inventoryAction.run({ DEST_URL: `${address}/a` }, quietContext());
  assert.match(refused.ok ? '' : refused.error, /did not accept the inventory: status 422 "no such machine"/);
  assert.equal(requests, 1);
  const gone = await inventoryAction.run({ DEST_URL: 'http://127.0.0.1:1/' }, quietContext());
  assert.match(gone.ok ? '' : gone.error, /bad port|ECONNREFUSED/);
  const wrong = await inventoryAction.run({ DEST_URL: 'ftp://x' }, quietContext());
  assert.match(wrong.ok ? '' : wrong.error, /DEST_URL=ftp:\/\/x must be an http or https address/);
});
