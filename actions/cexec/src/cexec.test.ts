import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { ActionContext } from '@tinkerbell/action-kit';

import { cexecAction, splitCommands } from './cexec.ts';

const directory = mkdtempSync(join(tmpdir(), 'cexec-test-'));
after(() => rmSync(directory, { recursive: true }));

const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
const CONTEXT: ActionContext = {
  log: quiet,
  clock: { nowMs: () => 0, monotonicMs: () => 0, schedule: () => () => {} },
  signal: new AbortController().signal,
  command: [],
  progress() {},
};

test('splits commands at semicolons and spaces unless there is an interpreter', () => {
  assert.deepEqual(splitCommands('apt update; apt  install x;', undefined), [
    ['apt', 'update'],
    ['apt', 'install', 'x'],
  ]);
  assert.deepEqual(splitCommands('a; b > c', '/bin/sh -c'), [['/bin/sh', '-c', 'a; b > c']]);
});

test('names the missing variables', async () => {
  const result = await cexecAction.run({}, CONTEXT);
  assert.ok(!result.ok);
  assert.match(result.error, /CMD_LINE is missing.*BLOCK_DEVICE is missing.*FS_TYPE is missing/);
});

test('runs a program of the file system in chroot, and fails when it fails', async (context) => {
  const image = join(directory, 'disk.img');
  const tree = join(directory, 'tree');
  let device: string;
  try {
    execFileSync('mkdir', ['-p', join(tree, 'bin')]);
    execFileSync('sh', [
      '-c',
      `cp "$(command -v busybox)" ${tree}/bin/busybox && ln -s busybox ${tree}/bin/sh`,
    ]);
    execFileSync('truncate', ['-s', '16M', image]);
    execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', tree, image], { stdio: 'pipe' });
    device = execFileSync('losetup', ['-f', '--show', image], { stdio: 'pipe' }).toString().trim();
  } catch {
    context.skip('needs root, loop devices, e2fsprogs and busybox-static');
    return;
  }
  context.after(() => execFileSync('losetup', ['-d', device]));
  const environment = {
    BLOCK_DEVICE: device,
    FS_TYPE: 'ext4',
    CHROOT: 'y',
    DEFAULT_INTERPRETER: '/bin/sh -c',
  };
  const good = await cexecAction.run(
    { ...environment, CMD_LINE: 'busybox test -e /proc/self && echo done > /written' },
    CONTEXT,
  );
  assert.deepEqual(good, { ok: true, message: `ran 1 command(s) on ${device}` });
  const written = execFileSync('debugfs', ['-R', 'cat /written', image], { stdio: 'pipe' });
  assert.equal(written.toString(), 'done\n');

  const bad = await cexecAction.run({ ...environment, CMD_LINE: 'echo no such thing >&2; exit 9' }, CONTEXT);
  assert.ok(!bad.ok);
  assert.match(bad.error, /ended with 9: no such thing/);
  assert.ok(!execFileSync('mount').toString().includes(device), 'nothing stays mounted');
});
