import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  existsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { writeBelow, writefileAction, type FileRequest } from './writefile.ts';

const directory = mkdtempSync(join(tmpdir(), 'writefile-test-'));
after(() => rmSync(directory, { recursive: true }));

const FILE: FileRequest = {
  path: '/etc/a/b.conf',
  contents: 'hello\n',
  owner: process.getuid?.() ?? 0,
  group: process.getgid?.() ?? 0,
  mode: 0o640,
  directoryMode: 0o750,
};

test('creates directories and writes the file with its modes', async () => {
  await writeBelow(directory, FILE);
  assert.equal(readFileSync(join(directory, 'etc/a/b.conf'), 'utf8'), 'hello\n');
  assert.equal(statSync(join(directory, 'etc/a/b.conf')).mode & 0o777, 0o640);
  assert.equal(statSync(join(directory, 'etc/a')).mode & 0o777, 0o750);
  assert.ok(!existsSync(join(directory, 'etc/a/b.conf.partial')));
});

test('follows links inside the file system and never out of it', async () => {
  mkdirSync(join(directory, 'var'));
  symlinkSync('/var', join(directory, 'absolute'));
  symlinkSync('../../../..', join(directory, 'up'));
  await writeBelow(directory, { ...FILE, path: '/absolute/x' });
  await writeBelow(directory, { ...FILE, path: '/up/y' });
  assert.ok(existsSync(join(directory, 'var/x')));
  assert.ok(existsSync(join(directory, 'y')));
});

test('refuses a file instead of a directory, and a loop of links', async () => {
  symlinkSync('circle', join(directory, 'circle'));
  await assert.rejects(writeBelow(directory, { ...FILE, path: '/y/z' }), /y is a file/);
  await assert.rejects(writeBelow(directory, { ...FILE, path: '/circle/z' }), /too many symbolic links/);
});

test('writes into a file system on a block device', async (context) => {
  const image = join(directory, 'disk.img');
  execFileSync('truncate', ['-s', '8M', image]);
  let device: string;
  try {
    execFileSync('mke2fs', ['-q', '-t', 'ext4', image], { stdio: 'pipe' });
    device = execFileSync('losetup', ['-f', '--show', image], { stdio: 'pipe' }).toString().trim();
  } catch {
    context.skip('needs root, e2fsprogs and loop devices');
    return;
  }
  context.after(() => execFileSync('losetup', ['-d', device]));
  const environment = {
    DEST_DISK: device,
    FS_TYPE: 'ext4',
    DEST_PATH: '/etc/hostname',
    CONTENTS: 'node-1\n',
    UID: '0',
    GID: '0',
    MODE: '0644',
    DIRMODE: '0755',
  };
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  const clock = { nowMs: () => 0, monotonicMs: () => 0, schedule: () => () => {} };
  const signal = new AbortController().signal;
  const result = await writefileAction.run(environment, {
    log: quiet,
    clock,
    signal,
    command: [],
    progress() {},
  });
  assert.deepEqual(result, { ok: true, message: `wrote 7 bytes to /etc/hostname on ${device}` });
  assert.equal(
    execFileSync('debugfs', ['-R', 'cat /etc/hostname', image], { stdio: 'pipe' }).toString(),
    'node-1\n',
  );
});

test(
  'a pipe or a link with the name of the temporary file neither blocks nor leads elsewhere',
  { timeout: 30_000 },
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'writefile-'));
    const outside = join(root, 'outside');
    mkdirSync(join(root, 'inside'));
    writeFileSync(outside, 'unchanged');
    for (const name of ['pipe', 'link']) {
      const partial = join(root, 'inside', `${name}.partial`);
      if (name === 'pipe') execFileSync('mkfifo', [partial]);
      else symlinkSync(outside, partial);
      const [owner, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
      await writeBelow(join(root, 'inside'), {
        path: `/${name}`,
        contents: 'new',
        owner,
        group,
        mode: 0o644,
        directoryMode: 0o755,
      });
      assert.equal(readFileSync(join(root, 'inside', name), 'utf8'), 'new');
    }
    assert.equal(readFileSync(outside, 'utf8'), 'unchanged');
    rmSync(root, { recursive: true });
  },
);
