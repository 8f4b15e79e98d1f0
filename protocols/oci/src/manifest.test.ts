import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  choosePlatform,
  layerCompression,
  mediaTypes,
  OciError,
  readImageConfig,
  readManifest,
} from './index.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const descriptor = (mediaType: string) => ({ mediaType, digest, size: 7 });
const image = {
  schemaVersion: 2,
  mediaType: mediaTypes.imageManifest,
  config: descriptor(mediaTypes.imageConfig),
  layers: [descriptor(mediaTypes.layerGzip), descriptor(mediaTypes.layerZstd)],
};
const index = {
  schemaVersion: 2,
  mediaType: mediaTypes.imageIndex,
  manifests: [
    { ...descriptor(mediaTypes.imageManifest), platform: { os: 'unknown', architecture: 'unknown' } },
    {
      ...descriptor(mediaTypes.imageManifest),
      platform: { os: 'linux', architecture: 'arm64', variant: 'v8' },
    },
    { ...descriptor(mediaTypes.imageManifest), size: 9, platform: { os: 'linux', architecture: 'amd64' } },
  ],
};
const config = {
  architecture: 'amd64',
  os: 'linux',
  config: { Env: ['A=b'], Entrypoint: null, Cmd: ['sh', '-c', 'true'], WorkingDir: 'work', User: '1:2' },
  rootfs: { type: 'layers', diff_ids: [digest] },
};

test('reads an image manifest', () => {
  const read = readManifest(bytesOf(image));
  assert.ok(read.kind === 'image');
  assert.deepEqual(
    read.layers.map(({ mediaType }) => layerCompression(mediaType)),
    ['gzip', 'zstd'],
  );
  assert.equal(read.config.size, 7);
});

test('an index gives the image of a platform', () => {
  const read = readManifest(bytesOf(index), mediaTypes.imageIndex);
  assert.ok(read.kind === 'index');
  const choose = (architecture: string) => choosePlatform(read.manifests, { os: 'linux', architecture });
  assert.equal(choose('amd64')?.size, 9);
  assert.equal(choose('arm64')?.platform?.variant, 'v8');
  assert.equal(choose('riscv64'), undefined);
});

test('reads a configuration as a container runs it', () => {
  const read = readImageConfig(bytesOf(config));
  assert.deepEqual(read.entrypoint, []);
  assert.deepEqual(read.command, ['sh', '-c', 'true']);
  assert.equal(read.workingDirectory, '/work');
  assert.equal(read.user, '1:2');
});

for (const [what, value, field] of [
  ['another schema', { ...image, schemaVersion: 1 }, 'schemaVersion'],
  ['a layer without a digest', { ...image, layers: [{ mediaType: 'x', size: 1 }] }, 'layers[0].digest'],
  ['a negative size', { ...image, layers: [{ ...descriptor('x'), size: -1 }] }, 'layers[0].size'],
  ['a size beyond 2^53', { ...image, config: { ...descriptor('x'), size: 1e300 } }, 'config.size'],
  ['an image with manifests', { ...image, manifests: [] }, 'manifests'],
  ['an index with layers', { ...index, layers: [] }, 'layers'],
  ['too many layers', { ...image, layers: Array.from({ length: 1025 }, () => descriptor('x')) }, 'layers'],
  ['a list', [], 'manifest'],
] as const)
  test(`refuses ${what}`, () =>
    assert.throws(
      () => readManifest(bytesOf(value)),
      (error) => error instanceof OciError && error.field === field,
    ));

test('refuses a manifest that contradicts the Content-Type', () =>
  assert.throws(
    () => readManifest(bytesOf(image), mediaTypes.imageIndex),
    /mediaType: is .*manifest.*index/,
  ));

/** One value of a document replaced by anything. */
const damaged = (document: object) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(document)), fc.jsonValue())
    .map(([key, value]) => ({ ...document, [key]: value }));

test('a damaged document is read or refused with an OciError', () => {
  const check = (read: (bytes: Uint8Array) => unknown) => (document: unknown) => {
    try {
      read(bytesOf(document));
    } catch (error) {
      assert.ok(error instanceof OciError, String(error));
    }
  };
  fc.assert(fc.property(damaged(image), check(readManifest)));
  fc.assert(fc.property(damaged(index), check(readManifest)));
  fc.assert(fc.property(damaged(config), check(readImageConfig)));
  fc.assert(fc.property(fc.jsonValue(), check(readManifest)));
});
