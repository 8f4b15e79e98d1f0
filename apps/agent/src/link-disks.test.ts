import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { linkDisks } from './link-disks.ts';

const root = mkdtempSync(join(tmpdir(), 'link-disks-'));
after(() => rmSync(root, { recursive: true }));

function disk(name: string): void {
  mkdirSync(join(root, 'sys/block', name, 'device'), { recursive: true });
  writeFileSync(join(root, 'sys/block', name, 'device/wwid'), 'naa.5000c500a1b2c3d4\n');
}

test('only the in-memory OS gets links, which follow the disk', () => {
  const link = join(root, 'dev/disk/by-id/wwn-0x5000c500a1b2c3d4');
  disk('sda');
  linkDisks(root);
  assert.ok(!existsSync(join(root, 'dev/disk')), 'another system has udev');
  mkdirSync(join(root, 'usr/lib/tinkerbell'), { recursive: true });
  writeFileSync(join(root, 'usr/lib/tinkerbell/segments.json'), '{"segments":[]}');
  linkDisks(root);
  linkDisks(root);
  assert.equal(readlinkSync(link), '../../sda');
  rmSync(join(root, 'sys/block/sda'), { recursive: true });
  disk('sdb');
  linkDisks(root);
  assert.equal(readlinkSync(link), '../../sdb');
});
