import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNodeTree } from './owned-tree.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'tinkerbell-tree-'));
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('files are written with their folders, listed in order, moved and removed', async () => {
  const tree = await openNodeTree(folder());
  await tree.write('b/one', bytesOf('1'));
  await tree.write('a/x/two', bytesOf('22'));
  await tree.write('b/one', bytesOf('one'));
  assert.deepEqual(await tree.list(''), [
    { name: 'a', isFolder: true },
    { name: 'b', isFolder: true },
  ]);
  assert.deepEqual(await tree.read('b/one'), bytesOf('one'));
  await tree.move('b/one', 'c/d/e');
  assert.equal(await tree.stat('b/one'), undefined);
  assert.equal((await tree.stat('c/d/e'))?.sizeBytes, 3);
  await tree.remove('c/d/e');
  await tree.remove('c/d/e');
  await tree.touch('c/d/e');
  assert.equal(await tree.read('c/d/e'), undefined);
  assert.deepEqual(await tree.list('missing'), []);
  assert.equal(await tree.stat('a'), undefined);
  assert.ok((await tree.freeBytes()) > 0);
});

test('an appender continues where the file ends', async () => {
  const tree = await openNodeTree(folder());
  const first = await tree.append('up/load');
  await first.write(bytesOf('abc'));
  await first.close();
  const second = await tree.append('up/load');
  assert.equal(second.sizeBytes, 3);
  await second.write(bytesOf('def'));
  assert.equal(second.sizeBytes, 6);
  await second.close();
  assert.equal(await tree.hash('up/load', 'sha512'), createHash('sha512').update('abcdef').digest('hex'));
});

test('what an earlier process left unfinished is removed when the tree is opened', async () => {
  const path = folder();
  await openNodeTree(path);
  writeFileSync(join(path, '.unfinished', 'left'), 'x');
  const tree = await openNodeTree(path);
  assert.deepEqual(readdirSync(join(path, '.unfinished')), []);
  assert.deepEqual(await tree.list(''), []);
});

test('a path that leaves the tree is a bug', async () => {
  const tree = await openNodeTree(folder());
  for (const path of ['../x', 'a/../x', '/etc/passwd', 'a//b', '.unfinished/x', 'a/\0', 'a\nb', 'a\\b', 'ä'])
    await assert.rejects(() => tree.read(path), /not a path of a tree/, path);
});

test('a broken disk is reported with its path', async () => {
  const path = folder();
  const tree = await openNodeTree(path);
  writeFileSync(join(path, 'file'), '');
  await assert.rejects(() => tree.write('file/below', bytesOf('x')), {
    code: 'unavailable',
    message: /^file\/below: /,
  });
});
