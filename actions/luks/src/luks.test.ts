/** The whole action on loop devices, with Debian's cryptsetup. Volumes are opened only where the kernel can. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import { hasKernelDevices, type ActionContext, type ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { luksAction } from './luks.ts';

const directory = mkdtempSync(join(tmpdir(), 'luks-test-'));
after(() => rmSync(directory, { recursive: true }));
const MEBIBYTE = 1024 * 1024;
const skip = missingPrograms('cryptsetup', 'wipefs', 'mke2fs', 'blkid');
const canOpen = await hasKernelDevices('device-mapper');
const KEY = 'correct horse\nbattery "staple"';

let disks = 0;
function disk(context: TestContext): { device: string; path: string } | undefined {
  const path = join(directory, `disk-${(disks += 1)}`);
  writeFileSync(path, '');
  truncateSync(path, 32 * MEBIBYTE);
  const device = loopDevice(context, path);
  return device === undefined ? undefined : { device, path };
}

function run(
  environment: Record<string, string>,
  context: ActionContext = quietContext(),
): Promise<ActionResult> {
  return luksAction.run({ ITERATION_MS: '10', ...environment }, context);
}

const messageOf = (result: ActionResult): string => (result.ok ? result.message : `failed: ${result.error}`);

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, messageOf(result));
  return result.error;
}

function opensWith(device: string, key: string): boolean {
  const words = ['open', '--test-passphrase', '--key-file', '-', device];
  return spawnSync('cryptsetup', words, { input: key }).status === 0;
}

test('encrypts a disk, and changes nothing the second time', { skip }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const { device, path } = found;
  assert.equal(messageOf(await run({ DEVICE: device, KEY, LABEL: 'root' })), `encrypted ${device}`);
  assert.ok(opensWith(device, KEY));
  assert.ok(!opensWith(device, `${KEY} `));
  const blkid = execFileSync('blkid', ['-p', device]).toString();
  assert.match(blkid, /LABEL="root"/);
  assert.match(blkid, /VERSION="2".* TYPE="crypto_LUKS"/);
  execFileSync('sync');
  const before = readFileSync(path);
  for (const WIPE of ['false', 'true'])
    assert.equal(messageOf(await run({ DEVICE: device, KEY, WIPE })), `${device} is as wanted`);
  assert.ok(readFileSync(path).equals(before), 'not even with WIPE is data with this key replaced');
});

test('a key file is used byte by byte', { skip }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const file = join(directory, 'key');
  writeFileSync(file, 'key with a break\n');
  assert.ok((await run({ DEVICE: found.device, KEY_FILE: file })).ok);
  assert.ok(opensWith(found.device, 'key with a break\n'));
  assert.ok(!opensWith(found.device, 'key with a break'));
});

test('data and other keys are refused, and replaced with WIPE', { skip }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const { device } = found;
  execFileSync('mke2fs', ['-q', '-F', device], { stdio: 'pipe' });
  assert.match(errorOf(await run({ DEVICE: device, KEY })), /has ext2: set WIPE=true to replace it/);
  assert.match(execFileSync('blkid', ['-p', device]).toString(), /TYPE="ext2"/);
  assert.ok((await run({ DEVICE: device, KEY, WIPE: 'true' })).ok);
  const other = errorOf(await run({ DEVICE: device, KEY: 'another key' }));
  assert.match(other, /is encrypted with another key: set WIPE=true/);
  assert.ok(opensWith(device, KEY));
  assert.ok((await run({ DEVICE: device, KEY: 'another key', WIPE: 'true' })).ok);
  assert.ok(opensWith(device, 'another key') && !opensWith(device, KEY));
});

test('a mounted disk is refused also with WIPE', { skip }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const { device } = found;
  execFileSync('mke2fs', ['-q', '-F', device], { stdio: 'pipe' });
  const point = mkdtempSync(join(directory, 'mnt-'));
  execFileSync('mount', ['-t', 'ext2', device, point]);
  try {
    assert.match(errorOf(await run({ DEVICE: device, KEY, WIPE: 'true' })), /is in use: unmount/);
  } finally {
    execFileSync('umount', [point]);
  }
});

/** Stands before the real program in PATH, and records how each call was made. */
function recordedCryptsetup(): { folder: string; calls: () => string } {
  const folder = mkdtempSync(join(directory, 'bin-'));
  const record = join(folder, 'record');
  const real = execFileSync('sh', ['-c', 'command -v cryptsetup']).toString().trim();
  const script = `#!/bin/sh\n{ tr '\\0' ' ' </proc/$$/cmdline; tr '\\0' ' ' </proc/$$/environ; echo; } >>${record}\nexec ${real} "$@"\n`;
  writeFileSync(join(folder, 'cryptsetup'), script, { mode: 0o755 });
  return { folder, calls: () => readFileSync(record, 'utf8') };
}

test('the key is in no log, no argument and no inherited variable', { skip }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const secret = 'canary-4711-key';
  const { folder, calls } = recordedCryptsetup();
  const texts: string[] = [];
  const take = (...parts: unknown[]): void => void texts.push(JSON.stringify(parts));
  const log: ActionContext['log'] = { debug: take, info: take, warn: take, error: take, child: () => log };
  const before = { PATH: process.env['PATH'], KEY: process.env['KEY'] };
  // As in a container, where the variables of the action are those of the process.
  Object.assign(process.env, { PATH: `${folder}:${before.PATH}`, KEY: secret });
  context.after(() => {
    process.env['PATH'] = before.PATH;
    delete process.env['KEY'];
  });
  const running = quietContext({ log, progress: take });
  take(await run({ DEVICE: found.device, KEY: secret }, running));
  take(await run({ DEVICE: found.device, KEY: secret }, running));
  take(await run({ DEVICE: found.device, KEY: `${secret}x` }, running));
  take(await run({ DEVICE: 'relative', KEY: secret, KEY_FILE: '/x', ITERATION_MS: 'x' }, running));
  assert.ok(calls().split('\n').length >= 6, calls());
  for (const text of [calls(), ...texts]) assert.ok(!text.includes(secret), text);
});

test('wrong variables are listed', async () => {
  assert.match(
    errorOf(await run({ DEVICE: 'sda', NAME: '../x', LABEL: 'a b', TPM: 'true' })),
    /DEVICE=sda must be an absolute.*set one of KEY.*TPM: keys in a TPM.*NAME=\.\.\/x.*LABEL must/,
  );
  assert.match(errorOf(await run({ DEVICE: '/dev/a', KEY: 'a', KEY_FILE: '/b' })), /set one of KEY/);
});

test('a key file that is empty, absent or a device is refused', { skip }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const empty = join(directory, 'empty');
  writeFileSync(empty, '');
  for (const [path, reason] of [
    [empty, /is empty/],
    ['/dev/zero', /cannot be read: it is not a file/],
    ['/absent', /cannot be read: ENOENT/],
  ] as const)
    assert.match(errorOf(await run({ DEVICE: found.device, KEY_FILE: path })), reason);
});

const opened = skip || (!canOpen && 'the kernel has no device-mapper');
test('opens the disk, also the second time', { skip: opened }, async (context) => {
  const found = disk(context);
  if (found === undefined) return;
  const name = `tinktest${process.pid}`;
  context.after(() => void spawnSync('cryptsetup', ['close', name]));
  const settings = { DEVICE: found.device, KEY, NAME: name };
  assert.match(messageOf(await run(settings)), /^encrypted .* as \/dev\/mapper\//);
  assert.match(messageOf(await run(settings)), / is as wanted$/);
  execFileSync('mke2fs', ['-q', '-F', `/dev/mapper/${name}`], { stdio: 'pipe' });
});

test(
  'a kernel without device-mapper encrypts, and does not open',
  { skip: skip || canOpen },
  async (context) => {
    const found = disk(context);
    if (found === undefined) return;
    const result = await run({ DEVICE: found.device, KEY, NAME: 'root' });
    assert.match(errorOf(result), /has no device-mapper: it needs the module dm_mod/);
    assert.ok(!opensWith(found.device, KEY), 'nothing was changed');
  },
);
