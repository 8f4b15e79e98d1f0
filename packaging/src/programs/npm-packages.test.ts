import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neededPackages, packageFolderOf, packageNameOf, packageOfImport } from './npm-packages.ts';

const locked = {
  'node_modules/a': {
    dependencies: { b: '1', c: '1', '@types/node': '1' },
    optionalDependencies: { compiled: '1' },
  },
  'node_modules/a/node_modules/b': { dependencies: { '@s/d': '1' } },
  'node_modules/b': { version: '2' },
  'node_modules/c': { peerDependencies: { b: '2', e: '1' }, peerDependenciesMeta: { e: { optional: true } } },
  'node_modules/@s/d': { dependencies: { a: '1' } },
  'node_modules/lost': { dependencies: { nowhere: '1' } },
};

test('a package needs its dependencies and peers, as Node resolves them, and nothing optional', () => {
  assert.deepEqual(neededPackages(locked, ['a']), [
    'node_modules/@s/d',
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/b',
    'node_modules/c',
  ]);
});

test('a package that is not locked is an error that names it and what needs it', () => {
  assert.throws(() => neededPackages(locked, ['lost']), /no nowhere, which node_modules\/lost needs/);
  assert.throws(() => neededPackages(locked, ['none']), /no none, which the server needs/);
});

test('files and imports have a package', () => {
  assert.equal(packageFolderOf('node_modules/@s/d/lib/a.js'), 'node_modules/@s/d');
  assert.equal(packageFolderOf('node_modules/a/node_modules/b/a.js'), 'node_modules/a/node_modules/b');
  assert.equal(packageFolderOf('apps/server/src/serve.ts'), undefined);
  assert.equal(packageNameOf('node_modules/a/node_modules/@s/d'), '@s/d');
  assert.equal(packageOfImport('@s/d/file.js'), '@s/d');
  assert.equal(packageOfImport('ws'), 'ws');
});
