import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { architectureOf } from '../architecture.ts';
import type { TarEntry } from '../segments/tar.ts';
import { actionImage } from './action-image.ts';
import type { BuiltImage } from './built-image.ts';
import { ACTION_RECIPES } from './action-recipes.ts';
import { imageLayer, type ImageLayer } from './image-layer.ts';
import { writeLayout } from './oci-layout.ts';

const base = mkdtempSync(join(tmpdir(), 'oci-layout-'));
after(() => rmSync(base, { recursive: true }));
const hasSkopeo = (() => {
  try {
    execFileSync('skopeo', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const ENTRIES: readonly TarEntry[] = [
  { kind: 'directory', path: 'tmp', mode: 0o1777 },
  { kind: 'file', path: 'usr/bin/program', mode: 0o755, content: Buffer.from('#!/bin/sh\n') },
  { kind: 'link', path: 'bin/other', target: '/usr/bin/program' },
];

let caches = 0;
/** Never from the cache of an earlier call. */
function layerOf(entries: readonly TarEntry[]): Promise<ImageLayer> {
  const cacheDirectory = join(base, `cache-${(caches += 1)}`);
  return imageLayer({
    createdBy: 'test',
    name: 'test',
    inputs: [],
    cacheDirectory,
    entries: async () => entries,
  });
}

async function imagesOf(...names: ('x86_64' | 'aarch64')[]): Promise<readonly BuiltImage[]> {
  const layers = [await layerOf(ENTRIES)];
  const variants = names.map((name) => ({ architecture: architectureOf(name), layers }));
  return ACTION_RECIPES.slice(0, 2).map((recipe) => actionImage(recipe, variants));
}

test('the order of entries does not matter, and the directories above them are added', async () => {
  const layer = await layerOf(ENTRIES);
  const other = await layerOf(ENTRIES.toReversed());
  assert.deepEqual([other.digest, other.diffId], [layer.digest, layer.diffId]);
  const path = join(base, 'layer.tar.gz');
  writeFileSync(path, layer.bytes);
  const listing = execFileSync('tar', ['-tvzf', path], { encoding: 'utf8' }).trimEnd().split('\n');
  assert.deepEqual(
    listing.map((line) => [line.slice(0, 10), line.split(' 00:00 ')[1]]),
    [
      ['drwxr-xr-x', 'bin/'],
      ['lrwxrwxrwx', 'bin/other -> /usr/bin/program'],
      ['drwxrwxrwt', 'tmp/'],
      ['drwxr-xr-x', 'usr/'],
      ['drwxr-xr-x', 'usr/bin/'],
      ['-rwxr-xr-x', 'usr/bin/program'],
    ],
  );
});

test('skopeo reads each image by its name', { skip: !hasSkopeo && 'needs skopeo' }, async () => {
  const directory = join(base, 'two');
  await writeLayout(directory, await imagesOf('x86_64', 'aarch64'));
  for (const architecture of ['amd64', 'arm64']) {
    const options = ['--override-arch', architecture, '--override-os', 'linux', 'inspect', '--config'];
    const text = execFileSync('skopeo', [...options, `oci:${directory}:burnin`], { encoding: 'utf8' });
    const config = JSON.parse(text) as Record<string, unknown> & { config: { Entrypoint: string[] } };
    assert.equal(config['architecture'], architecture);
    assert.equal(config['created'], '2026-01-01T00:00:00Z');
    assert.equal(config.config.Entrypoint.at(-1), 'burnin');
  }
});

test('a layout is replaced, and keeps no old files', async () => {
  const directory = join(base, 'replaced');
  const blobs = () => readdirSync(join(directory, 'blobs/sha256')).sort();
  await writeLayout(directory, await imagesOf('x86_64'));
  const [index, first] = [readFileSync(join(directory, 'index.json'), 'utf8'), blobs()];
  await writeLayout(directory, await imagesOf('x86_64', 'aarch64'));
  assert.notDeepEqual(blobs(), first);
  await writeLayout(directory, await imagesOf('x86_64'));
  assert.deepEqual([readFileSync(join(directory, 'index.json'), 'utf8'), blobs()], [index, first]);
});

test('a folder with other files is refused', async () => {
  const directory = mkdtempSync(join(base, 'foreign-'));
  writeFileSync(join(directory, 'letter.txt'), 'mine');
  await assert.rejects(async () => writeLayout(directory, await imagesOf('x86_64')), /has other files/);
  assert.deepEqual(readdirSync(directory), ['letter.txt']);
});
