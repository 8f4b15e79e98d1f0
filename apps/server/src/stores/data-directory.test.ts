import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdDataDirectory } from './data-directory.ts';

const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test('reports a full disk', { skip: canMount ? false : 'needs root and unshare' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'));
  const script = `import { holdDataDirectory } from ${JSON.stringify(join(import.meta.dirname, 'data-directory.ts'))};
    for (const path of process.argv.slice(1))
      try { holdDataDirectory(path); console.log('held'); } catch (error) { console.log(error.message); }`;
  const fill =
    'mount -t tmpfs -o size=16k tmpfs "$0" && { dd if=/dev/zero of="$0/fill" bs=4k 2>/dev/null; "$@"; }';
  const node = [process.execPath, '--input-type=module', '-e', script, folder, join(folder, 'new')];
  const { stdout } = spawnSync('unshare', ['-m', 'sh', '-c', fill, folder, ...node], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, 2, stdout);
  for (const line of lines) assert.match(line, /^the disk of the data folder .* is full; free some space/);
});

test('reports a folder in use, and a path that is not a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'held-'));
  using held = holdDataDirectory(folder);
  assert.throws(() => holdDataDirectory(folder), /is in use by another tinkerbell/);
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => holdDataDirectory(join(folder, 'file')), /cannot create the data folder/);
  assert.ok(held.databasePath.startsWith(folder));
  rmSync(folder, { recursive: true });
});
