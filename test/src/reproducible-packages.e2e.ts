/** The same sources give the same packages, and the list of what is inside is complete. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { builtPackages, cacheDirectory } from '@tinkerbell/packaging/testing';

const base = mkdtempSync(join(tmpdir(), 'reproducible-packages-'));
after(() => rmSync(base, { recursive: true, force: true }));
const REAL = { timeout: 300_000, skip: process.platform === 'linux' ? false : 'needs Debian' };
const hookDirectory = join(base, 'hook');
const segments = { segments: [{ packages: [{ name: 'crun', version: '1.8.1-1' }] }] };
let first: ReadonlyMap<string, string> = new Map();

before(async () => {
  mkdirSync(hookDirectory);
  writeFileSync(join(hookDirectory, 'vmlinuz-x86_64'), 'a kernel');
  writeFileSync(join(hookDirectory, 'segments-x86_64.json'), JSON.stringify(segments));
  first = await builtPackages({ outputDirectory: join(base, 'first'), hookDirectory });
});

test('two builds give the same bytes, also without the layers of the first', REAL, async () => {
  const ownCache = join(base, 'cache');
  mkdirSync(ownCache);
  symlinkSync(join(cacheDirectory, 'debian'), join(ownCache, 'debian'));
  const second = await builtPackages({
    outputDirectory: join(base, 'second'),
    hookDirectory,
    cacheDirectory: ownCache,
  });
  assert.deepEqual([...second.keys()], [...first.keys()]);
  for (const [name, path] of first)
    assert.ok(readFileSync(path).equals(readFileSync(second.get(name) ?? '')), `${name} differs`);
});

test('sha256sum verifies every file', REAL, () => {
  const folder = join(base, 'first');
  const printed = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  assert.equal(names.length, 5);
  for (const name of names) assert.ok(printed.includes(`${name}: OK\n`), name);
});

test(
  'the bill of materials has every npm package of the Debian package, Node, and Debian packages',
  REAL,
  () => {
    const bill = JSON.parse(readFileSync(first.get('tinkerbell_0.1.0.spdx.json') ?? '', 'utf8'));
    const names = new Set(bill.packages.map(({ name }: { name: string }) => name));
    const deb = [...first].find(([name]) => /^tinkerbell_.*\.deb$/.test(name))?.[1] ?? '';
    const listing = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8', maxBuffer: 1e8 });
    const inside = [
      ...listing.matchAll(/programs\/.*node_modules\/((?:@[^/]+\/)?[^/\n]+)\/package\.json$/gm),
    ];
    assert.ok(inside.length > 30);
    for (const [, name = ''] of inside) assert.ok(names.has(name), name);
    // These are bundled, so no folder has their name.
    for (const name of ['@bufbuild/protobuf', 'yaml', 'node', 'libc6', 'libatomic1', 'crun'])
      assert.ok(names.has(name), name);
  },
);
