import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openNodeDirectory } from './index.ts';

const parent = mkdtempSync(join(tmpdir(), 'tinkerbell-owned-'));
after(() => rmSync(parent, { recursive: true }));

test('stores files written in pieces, lists them and removes them', async () => {
  const directory = await openNodeDirectory(join(parent, 'deep', 'cache'));
  const writer = await directory.create('a.iso');
  await writer.write(new Uint8Array([1, 2]));
  assert.deepEqual([...readFileSync(join(directory.path, 'a.iso'))], [1, 2]);
  await writer.write(new Uint8Array([3]));
  await writer.close();
  utimesSync(join(directory.path, 'a.iso'), 1, 1);
  assert.deepEqual(await directory.list(), [{ name: 'a.iso', sizeBytes: 3, modifiedMs: 1_000 }]);
  await directory.touch('a.iso');
  assert.ok(((await directory.list())[0]?.modifiedMs ?? 0) > 1_000);
  await (await directory.create('a.iso')).close();
  assert.equal((await directory.list())[0]?.sizeBytes, 0);
  await directory.remove('a.iso');
  await directory.remove('a.iso');
  assert.deepEqual(await directory.list(), []);
});

test('reports what it cannot write, and accepts no path as a name', async () => {
  writeFileSync(join(parent, 'file'), '');
  await assert.rejects(openNodeDirectory(join(parent, 'file', 'x')), { code: 'unavailable' });
  const directory = await openNodeDirectory(join(parent, 'other'));
  await assert.rejects(directory.create('../x'), /not a file name/);
  await assert.rejects(directory.create('.'), /not a file name/);
});

test('a link in place of a file is replaced, not followed', async () => {
  const directory = await openNodeDirectory(join(parent, 'links'));
  const victim = join(parent, 'victim');
  writeFileSync(victim, 'kept');
  symlinkSync(victim, join(directory.path, 'x'));
  assert.deepEqual(await directory.list(), []);
  const writer = await directory.create('x');
  await writer.write(new Uint8Array([1]));
  await writer.close();
  assert.equal(readFileSync(victim, 'utf8'), 'kept');
  assert.equal((await directory.list())[0]?.sizeBytes, 1);
});
