import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { ActionResult } from '@tinkerbell/action-kit';
import { addPartitions, loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { syslinuxAction } from './syslinux.ts';

const directory = mkdtempSync(join(tmpdir(), 'syslinux-test-'));
after(() => rmSync(directory, { recursive: true }));
const skip = missingPrograms('syslinux', 'mkfs.fat', 'mdir', 'sfdisk', 'partx');

function diskImage(table: string): string {
  const path = join(directory, 'disk');
  rmSync(path, { force: true });
  writeFileSync(path, '');
  truncateSync(path, 64 * 1024 * 1024);
  if (table !== '') execFileSync('sfdisk', ['-q', path], { input: table, stdio: 'pipe' });
  return path;
}

function run(disk: string, changes: Record<string, string> = {}): Promise<ActionResult> {
  return syslinuxAction.run({ DEST_DISK: disk, DEST_PARTITION: `${disk}p1`, ...changes }, quietContext());
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, 'it must fail');
  return result.error;
}

test('installs the loader and the boot code, and keeps the table', { skip }, async (context) => {
  const path = diskImage('label: dos\n2048,60000,c,*\n');
  const device = loopDevice(context, path, ['-P']);
  if (device === undefined) return;
  const removePartitions = addPartitions(device);
  try {
    execFileSync('mkfs.fat', [`${device}p1`], { stdio: 'pipe' });
    const before = readFileSync(path).subarray(440, 512);
    const result = await run(device, { SYSLINUX_VERSION: '386' });
    assert.ok(result.ok, result.ok ? '' : result.error);
    assert.match(result.message, /^installed syslinux \d\S* on .*p1, and its boot code on/);
    execFileSync('sync');
    const bytes = readFileSync(path);
    assert.deepEqual(bytes.subarray(440, 512), before);
    assert.ok(bytes.subarray(0, 440).some((byte) => byte !== 0));
    assert.match(execFileSync('mdir', ['-a', '-i', `${path}@@1M`, '::']).toString(), /ldlinux +sys/i);
  } finally {
    removePartitions();
  }
});

test('refuses a GPT, no table, and no active partition', { skip }, async (context) => {
  for (const [table, problem] of [
    ['label: gpt\n,8M\n', /has a GPT, and syslinux needs an MBR: set MBR=true/],
    ['', /has no partition table, and syslinux needs/],
    ['label: dos\n,8M,c\n', /has no active partition/],
  ] as const) {
    const device = loopDevice(context, diskImage(table));
    if (device === undefined) return;
    assert.match(errorOf(await run(device)), problem);
  }
});

test('names every wrong variable', async () => {
  const result = await syslinuxAction.run({ DEST_DISK: 'sda', SYSLINUX_VERSION: '6' }, quietContext());
  assert.match(
    errorOf(result),
    /DEST_DISK=sda must.*DEST_PARTITION is missing.*SYSLINUX_VERSION=6 must be 386 or 3\.86/,
  );
});
