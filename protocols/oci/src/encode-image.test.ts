import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import {
  encodeImageConfig,
  encodeImageIndex,
  encodeImageManifest,
  mediaTypes,
  readImageConfig,
  readManifest,
  type Digest,
} from './index.ts';

const digest: fc.Arbitrary<Digest> = fc
  .stringMatching(/^[0-9a-f]{64}$/)
  .map((hex): Digest => `sha256:${hex}`);
const descriptor = (mediaType: string) =>
  fc.record({
    mediaType: fc.constant(mediaType),
    digest,
    size: fc.nat(),
    annotations: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true, maxKeys: 3 }),
  });
const platform = fc.record({ os: fc.constant('linux'), architecture: fc.constantFrom('amd64', 'arm64') });
/** Readers return maps without a prototype. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const SEED = { seed: 19, numRuns: 200 };

test('a configuration is read as it was written', () => {
  const config = fc.record({
    platform,
    created: fc.constant('2026-01-01T00:00:00Z'),
    entrypoint: fc.array(fc.string(), { maxLength: 4 }),
    environment: fc.array(fc.string(), { maxLength: 4 }),
    labels: fc.dictionary(fc.string(), fc.string()),
    layers: fc.array(fc.record({ diffId: digest, createdBy: fc.string() }), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(config, (written) => {
      const read = readImageConfig(encodeImageConfig(written));
      assert.deepEqual({ os: read.os, architecture: read.architecture }, { ...written.platform });
      assert.deepEqual(read.entrypoint, written.entrypoint);
      assert.deepEqual(read.environment, written.environment);
      assert.deepEqual(
        read.diffIds,
        written.layers.map(({ diffId }) => diffId),
      );
      assert.deepEqual([read.command, read.user, read.workingDirectory], [[], '', '/']);
    }),
    SEED,
  );
});

test('a configuration has a user, ports and volumes as sets', () => {
  const written = encodeImageConfig({
    platform: { os: 'linux', architecture: 'amd64' },
    created: '2026-01-01T00:00:00Z',
    entrypoint: ['/bin/a'],
    environment: [],
    labels: {},
    user: '7:8',
    exposedPorts: ['67/udp', '80/tcp'],
    volumes: ['/var/lib/a'],
    layers: [],
  });
  assert.equal(readImageConfig(written).user, '7:8');
  const { config } = JSON.parse(new TextDecoder().decode(written));
  assert.deepEqual(config.ExposedPorts, { '67/udp': {}, '80/tcp': {} });
  assert.deepEqual(config.Volumes, { '/var/lib/a': {} });
});

test('manifests and indexes are read as they were written', () => {
  const manifest = fc.record({
    config: descriptor(mediaTypes.imageConfig),
    layers: fc.array(descriptor(mediaTypes.layerGzip), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(manifest, (written) => {
      const read = readManifest(encodeImageManifest(written));
      assert.ok(read.kind === 'image');
      assert.deepEqual(plain({ config: read.config, layers: read.layers }), plain(written));
    }),
    SEED,
  );
  const entry = fc
    .tuple(descriptor(mediaTypes.imageManifest), platform)
    .map(([one, other]) => ({ ...one, platform: other }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (written) => {
      const read = readManifest(encodeImageIndex(written));
      assert.ok(read.kind === 'index');
      assert.deepEqual(plain(read.manifests), plain(written));
    }),
    SEED,
  );
});
