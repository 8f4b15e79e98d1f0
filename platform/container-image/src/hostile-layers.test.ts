/** Whatever a layer contains, nothing outside of the root changes. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '@tinkerbell/platform-contract';
import { RootedTree } from './index.ts';
import { tarOf, type WrittenEntry } from '@tinkerbell/tar/testing';
import { applied, listingOf } from './testing/tree-listing.ts';

const layerOf = (entries: readonly WrittenEntry[]): Buffer => Buffer.from(tarOf(entries));

const base = mkdtempSync(join(tmpdir(), 'hostile-layers-'));
after(() => rmSync(base, { recursive: true, force: true }));
const NEEDS_ROOT = process.getuid?.() === 0 ? {} : { skip: 'changing owners needs root' };

/** Files that a layer may try to reach, beside the root. */
function outside(directory: string): string {
  const path = join(directory, 'outside');
  mkdirSync(join(path, 'sub'), { recursive: true });
  writeFileSync(join(path, 'secret'), 'secret');
  writeFileSync(join(path, 'sub', 'x'), 'x');
  chmodSync(join(path, 'secret'), 0o600);
  for (const name of ['secret', 'sub/x', 'sub', '.'])
    lutimesSync(join(path, name), 1_500_000_000, 1_500_000_000);
  return path;
}

let runs = 0;
function fresh(): { readonly root: string; readonly secret: string } {
  const directory = join(base, String((runs += 1)));
  mkdirSync(join(directory, 'root'), { recursive: true });
  return { root: join(directory, 'root'), secret: outside(directory) };
}

/** Layers written by an attacker who knows where the directory is. */
function layersFor(secret: string): fc.Arbitrary<readonly (readonly WrittenEntry[])[]> {
  const part = fc.constantFrom('a', 'b', 'c', '.', '..', 'x', 'secret', 'sub', '');
  const name = fc.oneof(
    fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    fc.constantFrom(secret, `${secret}/secret`, '../outside/secret', 'a/../../outside/secret', '.wh.secret'),
    fc.array(part, { maxLength: 3 }).map((parts) => [...parts, '.wh.x'].join('/')),
    fc.array(part, { maxLength: 3 }).map((parts) => [...parts, '.wh..wh..opq'].join('/')),
    fc.array(part, { maxLength: 3 }).map((parts) => [...parts, '.wh...'].join('/')),
  );
  const target = fc.oneof(
    name,
    fc.constantFrom(
      secret,
      `${secret}/sub`,
      '/',
      '..',
      '../../..',
      '../outside',
      '../../outside/secret',
      'a',
      '/a/b',
      'x/x',
    ),
  );
  const entry: fc.Arbitrary<WrittenEntry> = fc.record({
    name,
    flag: fc.constantFrom('0', '0', '1', '2', '2', '2', '5', '5', '6', '3'),
    linkName: target,
    content: fc.constantFrom('', 'hacked'),
    mode: fc.constantFrom(0o4755, 0o644, 0o777),
    userId: fc.constantFrom(0, 12),
    attributes: fc.constantFrom({}, { 'trusted.hacked': 'yes' }),
  });
  return fc.array(fc.array(entry, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
}

test('generated layers change nothing outside of the root', NEEDS_ROOT, async () => {
  let whole = 0;
  const { root, secret } = fresh();
  const before = listingOf(secret);
  await fc.assert(
    fc.asyncProperty(layersFor(secret), async (layers) => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      const tree = new RootedTree(root);
      for (const entries of layers) {
        try {
          await applied(tree, layerOf(entries));
          whole += 1;
        } catch (error) {
          assert.ok(error instanceof PlatformError, String(error));
        }
      }
      assert.deepEqual(listingOf(secret), before);
    }),
    { numRuns: 400 },
  );
  assert.ok(whole > 50, `${whole} layers were applied to their end`);
});

test('a link to a directory outside is never entered', NEEDS_ROOT, async () => {
  const { root, secret } = fresh();
  const before = listingOf(secret);
  const tree = new RootedTree(root);
  await applied(
    tree,
    layerOf([
      { name: 'out', flag: '2', linkName: secret },
      { name: 'out/secret', flag: '0', content: 'hacked' },
      { name: 'out/sub', flag: '5', mode: 0o777 },
    ]),
  );
  await applied(tree, layerOf([{ name: 'out/.wh..wh..opq', flag: '0' }]));
  assert.deepEqual(listingOf(secret), before);
  assert.ok(tree.stat(['out'])?.isSymbolicLink(), 'the link itself stays as it is');
});

test('the time of a directory that became a link is not set elsewhere', NEEDS_ROOT, async () => {
  const { root, secret } = fresh();
  const before = listingOf(secret);
  await applied(
    new RootedTree(root),
    layerOf([
      { name: 'a/sub', flag: '5' },
      { name: 'a', flag: '2', linkName: secret },
    ]),
  );
  assert.deepEqual(listingOf(secret), before);
});

test('files and links that exist outside are not followed by a removal', NEEDS_ROOT, async () => {
  const { root, secret } = fresh();
  mkdirSync(join(root, 'd'));
  symlinkSync(secret, join(root, 'd', 'link'));
  linkSync(join(secret, 'sub', 'x'), join(root, 'd', 'hard'));
  const contents = (lines: readonly string[]) => lines.map((line) => line.replace(/links=\d+/, ''));
  const before = contents(listingOf(secret));
  await applied(new RootedTree(root), layerOf([{ name: '.wh.d', flag: '0' }]));
  assert.deepEqual(contents(listingOf(secret)), before);
});

const refused: readonly [entries: readonly WrittenEntry[], text: RegExp][] = [
  [[{ name: '../x', flag: '0' }], /must not contain "\.\."/],
  [[{ name: 'x', flag: '1', linkName: '../outside/secret' }], /must not contain/],
  [[{ name: 'x', flag: '1', linkName: 'absent' }], /its hard link has no target/],
  [
    [
      { name: '/', flag: '0' },
      { name: '/', flag: '2', linkName: '/tmp' },
    ],
    /the root must be a directory/,
  ],
  [
    [
      { name: 'a', flag: '0' },
      { name: 'a/b', flag: '0' },
    ],
    /a parent is not a directory/,
  ],
  [
    [
      { name: 'l', flag: '2', linkName: 'l' },
      { name: 'l/x', flag: '0' },
    ],
    /too many symbolic links/,
  ],
  [[{ name: 'x'.repeat(256), flag: '0' }], /a part is longer than 255/],
  [[{ name: 'd/'.repeat(300), flag: '5' }], /deeper than 256/],
  [[{ name: 'n/'.repeat(3000), flag: '5' }], /longer than 4096/],
  [[{ name: 'a/.wh...', flag: '0' }], /the whiteout names nothing/],
];
for (const [entries, text] of refused)
  test(`refuses ${JSON.stringify(entries).slice(0, 70)}`, NEEDS_ROOT, async () => {
    await assert.rejects(applied(new RootedTree(fresh().root), layerOf(entries)), (error) => {
      assert.ok(error instanceof PlatformError);
      assert.match(error.message, text);
      return true;
    });
  });
