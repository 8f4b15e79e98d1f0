import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceFile } from './replace-file.ts';

test('a machine that reads a file while it is rebuilt gets all of the old one', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-replace-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'initramfs-x86_64');
  const old = new Uint8Array(3_000_000).fill(1);
  await replaceFile(path, old);
  await using served = await open(path);
  const first = Buffer.alloc(1_000_000);
  await served.read(first);
  await replaceFile(path, Uint8Array.of(2));
  const all = Buffer.concat([first, await served.readFile()]);
  assert.ok(all.equals(old), `${all.length} bytes`);
  assert.deepEqual([...(await readFile(path))], [2]);
  assert.deepEqual(readdirSync(directory), ['initramfs-x86_64']);
});

test('a failed replacement leaves no partial file', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-replace-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'a', 'vmlinuz');
  await assert.rejects(replaceFile(path, Uint8Array.of(1)), /ENOENT/);
  await assert.rejects(replaceFile(directory, Uint8Array.of(1)), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith(`${directory.split('/').at(-1)}.`)),
    [],
  );
});
