/** The whole action on loop devices, with Debian's lvm2. Volumes become active only where the kernel can. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import { hasKernelDevices, type ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { lvmAction } from './lvm.ts';

const directory = mkdtempSync(join(tmpdir(), 'lvm-test-'));
after(() => rmSync(directory, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const skip = missingPrograms('lvm', 'wipefs', 'mke2fs', 'losetup');
const canActivate = await hasKernelDevices('device-mapper');

let names = 0;
/** A group of this name is removed when the test ends. */
function newGroup(context: TestContext): string {
  const name = `tinktest${process.pid}x${(names += 1)}`;
  context.after(() => {
    try {
      execFileSync('lvm', ['vgremove', ...offline(), '-ff', '--yes', name], { stdio: 'pipe' });
    } catch {
      // The test has removed it.
    }
  });
  return name;
}

const offline = () => (canActivate ? [] : ['--driverloaded', 'n']);

let disks = 0;
function disk(context: TestContext): string | undefined {
  const path = join(directory, `disk-${(disks += 1)}`);
  writeFileSync(path, '');
  truncateSync(path, 64 * MEBIBYTE);
  return loopDevice(context, path);
}

function run(
  group: string,
  devices: readonly string[],
  more: Record<string, string> = {},
): Promise<ActionResult> {
  const environment = {
    VOLUME_GROUP: group,
    PHYSICAL_VOLUMES: devices.join(','),
    ACTIVATE: 'false',
    ...more,
  };
  return lvmAction.run(environment, quietContext());
}

function volumesOf(group: string): readonly string[] {
  const words = ['lvs', ...offline(), '--noheadings', '--units', 'm', '-o', 'lv_name,lv_size', group];
  const text = execFileSync('lvm', words, { stdio: 'pipe' }).toString();
  return text
    .split('\n')
    .map((line) => line.trim().replace(/ +/, ' '))
    .filter(Boolean);
}

const messageOf = (result: ActionResult): string => (result.ok ? result.message : `failed: ${result.error}`);

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, messageOf(result));
  return result.error;
}

test('creates a group on two disks, and changes nothing the second time', { skip }, async (context) => {
  const group = newGroup(context);
  const [one, two] = [disk(context), disk(context)];
  if (one === undefined || two === undefined) return;
  const volumes = { LOGICAL_VOLUMES: 'root:30M,data:100%FREE' };
  assert.match(messageOf(await run(group, [one, two], volumes)), /^created the volume group/);
  // Each disk has 15 extents of 4 MiB, and 30 MiB become 8 extents.
  assert.deepEqual(volumesOf(group), ['data 88.00m', 'root 32.00m']);
  const uuids = () => execFileSync('lvm', ['vgs', ...offline(), '-o', 'vg_uuid', group]).toString();
  const before = uuids();
  for (const more of [volumes, { ...volumes, WIPE: 'true' }])
    assert.match(messageOf(await run(group, [two, one], more)), / is as wanted$/);
  assert.equal(uuids(), before, 'not even with WIPE is a group replaced that is as wanted');
  assert.match(
    errorOf(await run(group, [one, two], { LOGICAL_VOLUMES: 'root:40M' })),
    /root has 33554432 bytes, and LOGICAL_VOLUMES wants another size/,
  );
});

test('a missing volume is added, as after an interrupted run', { skip }, async (context) => {
  const group = newGroup(context);
  const one = disk(context);
  if (one === undefined) return;
  assert.ok((await run(group, [one])).ok);
  assert.ok((await run(group, [one], { LOGICAL_VOLUMES: 'late:50%VG' })).ok);
  assert.deepEqual(volumesOf(group), ['late 28.00m']);
});

test('data of others is refused, and replaced with WIPE', { skip }, async (context) => {
  const [group, other] = [newGroup(context), newGroup(context)];
  const [one, two] = [disk(context), disk(context)];
  if (one === undefined || two === undefined) return;
  execFileSync('mke2fs', ['-q', '-F', one], { stdio: 'pipe' });
  assert.match(errorOf(await run(group, [one, two])), /loop\d+ has ext2: set WIPE=true to replace it/);
  assert.match(execFileSync('blkid', ['-p', one]).toString(), /TYPE="ext2"/);
  assert.ok((await run(other, [one, two], { WIPE: 'yes' })).ok);
  assert.match(errorOf(await run(group, [one, two])), new RegExp(`has the volume group ${other}: set WIPE`));
  assert.match(
    errorOf(await run(group, [one], { WIPE: 'true' })),
    new RegExp(`volume group ${other}, which is also on ${two}`),
  );
  assert.match(errorOf(await run(other, [one])), new RegExp(`add ${two} to PHYSICAL_VOLUMES`));
  assert.ok((await run(group, [one, two], { WIPE: 'true' })).ok);
  assert.throws(() => volumesOf(other));
});

test('a mounted disk is refused also with WIPE', { skip }, async (context) => {
  const group = newGroup(context);
  const one = disk(context);
  if (one === undefined) return;
  execFileSync('mke2fs', ['-q', '-F', one], { stdio: 'pipe' });
  const point = mkdtempSync(join(directory, 'mnt-'));
  execFileSync('mount', ['-t', 'ext2', one, point]);
  try {
    assert.match(errorOf(await run(group, [one], { WIPE: 'true' })), /is in use: unmount/);
  } finally {
    execFileSync('umount', [point]);
  }
});

const active = skip || (!canActivate && 'the kernel has no device-mapper');
test('volumes are active', { skip: active }, async (context) => {
  const group = newGroup(context);
  const one = disk(context);
  if (one === undefined) return;
  for (let round = 0; round < 2; round += 1)
    assert.ok((await run(group, [one], { ACTIVATE: 'true', LOGICAL_VOLUMES: 'root:20M' })).ok);
  execFileSync('mke2fs', ['-q', '-F', `/dev/${group}/root`], { stdio: 'pipe' });
});

test(
  'a kernel without device-mapper is an error that names the module',
  { skip: skip || canActivate },
  async () => {
    const result = await run('vg0', ['/dev/null'], { ACTIVATE: 'true' });
    assert.match(errorOf(result), /has no device-mapper: it needs the module dm_mod/);
  },
);
