/** Compares with umoci, and checks bounds and digests. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { applyLayer, RootedTree } from './index.ts';
import { tarOf, type WrittenEntry } from '@tinkerbell/tar/testing';
import { digestOf } from './testing/digest-of.ts';
import { applied, listingOf } from './testing/tree-listing.ts';

const layerOf = (entries: readonly WrittenEntry[]): Buffer => Buffer.from(tarOf(entries));

const base = mkdtempSync(join(tmpdir(), 'apply-layer-'));
after(() => rmSync(base, { recursive: true, force: true }));
const hasUmoci = spawnSync('umoci', ['--version']).status === 0;
const UMOCI = hasUmoci && process.getuid?.() === 0 ? {} : { skip: 'needs umoci and root' };
let runs = 0;
const fresh = (): string => {
  const directory = join(base, String((runs += 1)));
  mkdirSync(directory);
  return directory;
};

/** The tree that umoci unpacks from an image with these layers. */
function umociTree(layers: readonly Buffer[]): readonly string[] {
  const directory = fresh();
  const image = `${directory}/image:latest`;
  const umoci = (...args: string[]) => execFileSync('umoci', args, { stdio: 'pipe' });
  umoci('init', '--layout', `${directory}/image`);
  umoci('new', '--image', image);
  for (const [index, layer] of layers.entries()) {
    writeFileSync(`${directory}/${index}.tar`, layer);
    umoci('raw', 'add-layer', '--image', image, `${directory}/${index}.tar`);
  }
  umoci('unpack', '--image', image, `${directory}/bundle`);
  return listingOf(`${directory}/bundle/rootfs`);
}

async function ownTree(layers: readonly Buffer[]): Promise<readonly string[]> {
  const root = fresh();
  const tree = new RootedTree(root);
  for (const layer of layers) await applied(tree, layer);
  return listingOf(root);
}

/** umoci leaves the time of the root. Directories without an entry have the time of the test. */
function withoutRootAndNow(lines: readonly string[]): readonly string[] {
  return lines
    .filter((line) => !line.startsWith(' '))
    .map((line) => line.replace(/  17[1-9]\d{7} $/, ' now'));
}

const CAPABILITY = '\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00';
const lower: readonly WrittenEntry[] = [
  { name: './', flag: '5', seconds: 1_400_000_000 },
  { name: 'bin/', flag: '5', mode: 0o755 },
  { name: 'bin/su', flag: '0', content: 'su', mode: 0o4755 },
  { name: 'bin/ping', flag: '0', content: 'ping', attributes: { 'security.capability': CAPABILITY } },
  { name: 'bin/hard', flag: '1', linkName: 'bin/su' },
  { name: 'sbin', flag: '2', linkName: 'bin' },
  { name: 'lib', flag: '2', linkName: '/usr/lib' },
  { name: 'usr/lib/', flag: '5' },
  { name: 'tmp/', flag: '5', mode: 0o1777, userId: 3, groupId: 4, seconds: 1_300_000_000 },
  { name: 'tmp/old', flag: '0', content: 'old', attributes: { 'user.note': 'a=b\n' } },
  { name: 'dev/null', flag: '3', device: [1, 3], mode: 0o666 },
  { name: 'dev/big', flag: '4', device: [259, 70_000], mode: 0o660 },
  { name: 'dev/pipe', flag: '6', mode: 0o640 },
  { name: 'opaque/gone', flag: '0' },
  { name: 'opaque/sub/gone', flag: '0' },
  { name: 'replaced/child', flag: '0' },
];
const upper: readonly WrittenEntry[] = [
  { name: 'lib/new.so', flag: '0', content: 'library' },
  { name: 'sbin/init', flag: '0', content: 'init' },
  { name: 'tmp/.wh.old', flag: '0' },
  { name: 'opaque/', flag: '5' },
  { name: 'opaque/early', flag: '0' },
  { name: 'opaque/sub/early', flag: '0' },
  { name: 'opaque/.wh..wh..opq', flag: '0' },
  { name: 'opaque/kept', flag: '0' },
  { name: 'replaced', flag: '0', content: 'now a file' },
  { name: 'bin/su', flag: '0', content: 'new su', mode: 0o755 },
];

test('gives the same tree as umoci', UMOCI, async () => {
  const layers = [layerOf(lower), layerOf(upper)];
  const own = withoutRootAndNow(await ownTree(layers));
  assert.deepEqual(own, withoutRootAndNow(umociTree(layers)));
  assert.ok(own.some((line) => line.startsWith('/usr/lib/new.so ')));
  assert.ok(own.some((line) => line.startsWith('security.capability=0x0100000200200000')));
});

/** Honest layers: what a build produces. Every directory is listed before its entries. */
const honestLayer = fc
  .array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'd/a', 'd/b', 'e/f/a', 'e/f/b', 'e/g'),
      kind: fc.constantFrom('0', '0', '2', '6', 'whiteout'),
      content: fc.string({ maxLength: 600 }),
      mode: fc.constantFrom(0o644, 0o755, 0o2755, 0o6711),
      userId: fc.constantFrom(0, 1000, 100_000),
      seconds: fc.nat(1_700_000_000),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((entries): readonly WrittenEntry[] => {
    const once = new Map(entries.map((entry) => [entry.name, entry]));
    return [
      ...['d', 'e', 'e/f'].map((name) => ({
        name: `${name}/`,
        flag: '5',
        mode: 0o750,
        seconds: 1_500_000_000,
      })),
      ...[...once.values()].map(({ kind, ...entry }) =>
        kind === 'whiteout'
          ? { name: entry.name.replace(/(\w)$/, '.wh.$1'), flag: '0' }
          : { ...entry, flag: kind, linkName: 'target', content: kind === '0' ? entry.content : '' },
      ),
    ];
  });

test('a whiteout hides nothing of its own layer', async () => {
  const root = fresh();
  const tree = new RootedTree(root);
  const owner = { userId: process.getuid?.() ?? 0, groupId: process.getgid?.() ?? 0 };
  const file = (name: string): WrittenEntry => ({ name, flag: '0', ...owner });
  await applied(tree, layerOf([file('d/low'), file('same')]));
  await applied(tree, layerOf([file('d/own'), file('.wh.d'), file('same'), file('.wh.same')]));
  assert.deepEqual(readdirSync(root).sort(), ['d', 'same']);
  assert.deepEqual(readdirSync(join(root, 'd')), ['own']);
});

test('generated images give the same tree as umoci', UMOCI, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(honestLayer, { minLength: 1, maxLength: 3 }), async (layers) => {
      const bytes = [[{ name: './', flag: '5' }], ...layers].map(layerOf);
      assert.deepEqual(withoutRootAndNow(await ownTree(bytes)), withoutRootAndNow(umociTree(bytes)));
    }),
    { numRuns: 25 },
  );
});

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}
const limits = { maxBytes: 2 ** 20, maxEntries: 100 };

for (const [compression, compress] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const) {
  test(`unpacks ${compression}, and refuses damage and bombs`, async () => {
    const layer = layerOf([{ name: 'a', flag: '0', content: 'content', userId: process.getuid?.() ?? 0 }]);
    const packed = compress(layer);
    const order = { compression, diffId: digestOf(layer), ...limits };
    const root = fresh();
    const ok = await applyLayer(new RootedTree(root), { ...order, bytes: once(packed) });
    assert.equal(ok.entries, 1);
    assert.equal(statSync(join(root, 'a')).size, 7);
    const apply = (bytes: Buffer) => applyLayer(new RootedTree(fresh()), { ...order, bytes: once(bytes) });
    await assert.rejects(apply(packed.subarray(0, 30)), { code: 'damaged' });
    await assert.rejects(apply(Buffer.from('no layer')), { code: 'damaged' });
    const bomb = compress(Buffer.concat([layer, Buffer.alloc(2 ** 24)]));
    await assert.rejects(apply(bomb), { code: 'too-large' });
    const other = compress(Buffer.concat([layer, Buffer.alloc(512)]));
    await assert.rejects(apply(other), /unpacks to the digest/);
  });
}

test('the number of entries is bounded', async () => {
  const entries = Array.from({ length: 101 }, (_, index) => ({ name: `f${index}`, flag: '6' }));
  const layer = layerOf(entries);
  const order = { bytes: once(layer), compression: 'none', diffId: digestOf(layer), ...limits } as const;
  await assert.rejects(applyLayer(new RootedTree(fresh()), order), /more than 100 entries/);
});

test('a large sparse file takes no space', async () => {
  const directory = fresh();
  execFileSync('truncate', ['-s', '10G', join(directory, 's')]);
  const layer = execFileSync('tar', ['-cS', '--format=pax', '-C', directory, 's']);
  const root = fresh();
  await applied(new RootedTree(root), layer);
  const { size, blocks } = statSync(join(root, 's'));
  assert.equal(size, 10 * 2 ** 30);
  assert.ok(blocks < 100);
});
