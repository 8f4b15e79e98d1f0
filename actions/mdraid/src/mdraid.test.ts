/** The whole action on loop devices, with Debian's mdadm, where the kernel has software RAID. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import { hasKernelDevices, type ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { mdraidAction } from './mdraid.ts';

const directory = mkdtempSync(join(tmpdir(), 'mdraid-test-'));
after(() => rmSync(directory, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const programs = missingPrograms('mdadm', 'wipefs', 'mke2fs');
const hasRaid = await hasKernelDevices('software RAID');
const skip = programs || (!hasRaid && 'the kernel has no software RAID');
const ARRAY = '/dev/md117';

function disks(context: TestContext, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const path = join(directory, `disk-${index}-${context.name.length}`);
    writeFileSync(path, '');
    truncateSync(path, 64 * MEBIBYTE);
    return loopDevice(context, path) ?? '';
  });
}

function run(environment: Record<string, string>): Promise<ActionResult> {
  return mdraidAction.run({ ARRAY, LEVEL: '1', ...environment }, quietContext());
}

const stop = (): void => void spawnSync('mdadm', ['--stop', ARRAY]);
const messageOf = (result: ActionResult): string => (result.ok ? result.message : `failed: ${result.error}`);

test('creates an array, and assembles it again', { skip }, async (context) => {
  const devices = disks(context, 3);
  if (devices.includes('')) return;
  context.after(stop);
  const settings = { DEVICES: devices.join(','), LEVEL: '5' };
  assert.match(messageOf(await run(settings)), /^created \/dev\/md117 \(RAID 5\)/);
  assert.match(messageOf(await run(settings)), / is as wanted$/);
  execFileSync('mke2fs', ['-q', '-F', ARRAY], { stdio: 'pipe' });
  stop();
  assert.match(messageOf(await run({ ...settings, WIPE: 'true' })), /^assembled /);
  assert.match(execFileSync('blkid', ['-p', ARRAY]).toString(), /TYPE="ext2"/);
  assert.match(messageOf(await run({ DEVICES: devices.join(',') })), /is already an array.*set WIPE=true/);
});

test('data of others is refused, and replaced with WIPE', { skip }, async (context) => {
  const devices = disks(context, 2);
  const [one = ''] = devices;
  if (devices.includes('')) return;
  context.after(stop);
  execFileSync('mke2fs', ['-q', '-F', one], { stdio: 'pipe' });
  const settings = { DEVICES: devices.join(',') };
  assert.match(messageOf(await run(settings)), /has ext2: set WIPE=true to replace it/);
  assert.match(messageOf(await run({ ...settings, WIPE: 'true' })), /^created/);
});

test(
  'a kernel without software RAID is an error that names the module',
  { skip: programs || hasRaid },
  async () => {
    const result = await run({ DEVICES: '/dev/null,/dev/zero' });
    assert.match(
      messageOf(result),
      /^failed: the kernel of this system has no software RAID: it needs the module md_mod/,
    );
  },
);
