import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import type { ActionResult, Environment } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext, serve } from '@tinkerbell/action-kit/testing';
import { localRegistry } from '@tinkerbell/container-runtime/testing';
import { mediaTypes } from '@tinkerbell/oci';

import { oci2diskAction, registriesFor } from './oci2disk.ts';
import { readSettings } from './settings.ts';

const HANGS = { timeout: 60_000 };
const IMAGE = Buffer.concat([randomBytes(300_000), Buffer.alloc(5_000_000), randomBytes(1_000_007)]);
const TITLE = 'org.opencontainers.image.title';
const directory = mkdtempSync(join(tmpdir(), 'oci2disk-test-'));
after(() => rmSync(directory, { recursive: true }));

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Pushed {
  readonly content: Buffer;
  readonly title?: string;
  readonly mediaType?: string;
}

/** What `oras push` creates: an empty configuration, and a layer per file. */
function artifactOf(layers: readonly Pushed[]): { manifest: Buffer; blobs: readonly Buffer[] } {
  const empty = Buffer.from('{}');
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.imageManifest,
    artifactType: 'application/vnd.unknown.artifact.v1',
    config: { mediaType: mediaTypes.empty, digest: digestOf(empty), size: empty.length },
    layers: layers.map(({ content, title, mediaType = mediaTypes.layer }) => ({
      mediaType,
      digest: digestOf(content),
      size: content.length,
      ...(title === undefined ? {} : { annotations: { [TITLE]: title } }),
    })),
  };
  return {
    manifest: Buffer.from(JSON.stringify(manifest)),
    blobs: [empty, ...layers.map(({ content }) => content)],
  };
}

/** As the distribution specification describes pushes: blobs in one request each, and then the manifest. */
async function push(host: string, tag: string, layers: readonly Pushed[]): Promise<string> {
  const { manifest, blobs } = artifactOf(layers);
  for (const blob of blobs) {
    const started = await fetch(`http://${host}/v2/disks/debian/blobs/uploads/`, { method: 'POST' });
    const place = new URL(started.headers.get('location') ?? '', `http://${host}`);
    place.searchParams.set('digest', digestOf(blob));
    const headers = { 'content-type': 'application/octet-stream' };
    assert.equal((await fetch(place, { method: 'PUT', body: Uint8Array.from(blob), headers })).status, 201);
  }
  const stored = await fetch(`http://${host}/v2/disks/debian/manifests/${tag}`, {
    method: 'PUT',
    body: Uint8Array.from(manifest),
    headers: { 'content-type': mediaTypes.imageManifest },
  });
  assert.equal(stored.status, 201, await stored.text());
  return `${host}/disks/debian:${tag}`;
}

/** A registry with one artifact, at any repository and tag. */
function answering(layers: readonly Pushed[], change: (path: string, bytes: Buffer) => Buffer = keep) {
  const { manifest, blobs } = artifactOf(layers);
  return (path: string): Buffer | undefined => {
    if (path.includes('/manifests/')) return manifest;
    const found = blobs.find((blob) => path.endsWith(digestOf(blob)));
    return found === undefined ? undefined : change(path, found);
  };
}

const keep = (_path: string, bytes: Buffer): Buffer => bytes;

async function scripted(context: TestContext, answer: (path: string) => Buffer | undefined): Promise<string> {
  const address = await serve(context, (request, response) => {
    const bytes = answer(request.url ?? '');
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  return address.replace('http://', '');
}

let disks = 0;

function newDisk(): string {
  disks += 1;
  const path = join(directory, `disk-${disks}`);
  writeFileSync(path, Buffer.alloc(8 * 1024 * 1024, 0xaa));
  return path;
}

function run(environment: Environment): Promise<ActionResult> {
  return oci2diskAction.run({ PLAIN_HTTP: 'true', ...environment }, quietContext());
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, 'it was written');
  return result.error;
}

test(
  'writes images that a real registry serves, by tag, title, first bytes and digest',
  { ...HANGS, skip: missingPrograms('docker-registry') },
  async (context) => {
    const { host } = await localRegistry(context);
    const xz = execFileSync('xz', ['-0c'], { input: IMAGE, maxBuffer: 64 * 1024 * 1024 });
    const gzip = gzipSync(IMAGE);
    const references = {
      raw: await push(host, 'raw', [{ content: IMAGE, title: 'debian.raw' }]),
      byTag: await push(host, 'raw.gz', [{ content: gzip, title: 'debian' }]),
      byTitle: await push(host, 'v1', [{ content: xz, title: 'debian.raw.xz' }]),
      byBytes: await push(host, 'latest', [{ content: zstdCompressSync(IMAGE), title: 'debian' }]),
      beside: await push(host, 'two', [
        { content: Buffer.from('text'), title: 'README.md', mediaType: 'text/markdown' },
        { content: Buffer.from('none') },
        { content: IMAGE, title: 'debian.raw' },
      ]),
    };
    const manifest = artifactOf([{ content: gzip, title: 'debian' }]).manifest;
    const all = { ...references, digest: `${host}/disks/debian@${digestOf(manifest)}` };
    const image = newDisk();
    const device = loopDevice(context, image);
    if (device === undefined) return;
    for (const [what, reference] of Object.entries(all)) {
      writeFileSync(device, Buffer.alloc(8 * 1024 * 1024, 0x55));
      const result = await run({ IMG_URL: reference, DEST_DISK: device });
      assert.ok(result.ok, result.ok ? '' : `${what}: ${result.error}`);
      assert.ok(readFileSync(device).subarray(0, IMAGE.length).equals(IMAGE), what);
    }
    const unchanged = newDisk();
    assert.ok((await run({ IMG_URL: references.byTag, DEST_DISK: unchanged, COMPRESSED: 'false' })).ok);
    assert.ok(readFileSync(unchanged).subarray(0, gzip.length).equals(gzip));
    const missing = errorOf(await run({ IMG_URL: `${host}/disks/debian:none`, DEST_DISK: unchanged }));
    assert.match(missing, /cannot get the manifest of disks\/debian:none: status 404/);
  },
);

test(
  'a registry with a login gets user and password',
  { ...HANGS, skip: missingPrograms('docker-registry') },
  async (context) => {
    const login = { username: 'user', password: 'a secret' };
    const { host } = await localRegistry(context, login);
    const wanted = { IMG_URL: `${host}/a/b:c`, DEST_DISK: newDisk(), REGISTRY_USERNAME: login.username };
    const wrong = errorOf(await run({ ...wanted, REGISTRY_PASSWORD: 'another secret' }));
    assert.match(wrong, /status 401/);
    assert.ok(!wrong.includes('another secret'));
    // With the password the registry reports that it has no such image.
    assert.match(errorOf(await run({ ...wanted, REGISTRY_PASSWORD: login.password })), /status 404/);
  },
);

test(
  'a layer that differs from its digest, or ends early, fails with that reason',
  HANGS,
  async (context) => {
    const content = gzipSync(IMAGE);
    const flip = (_path: string, bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      if (copy.length > 10) copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
      return copy;
    };
    const layers = [{ content, title: 'debian.gz' }];
    for (const title of ['raw', 'gz']) {
      const host = await scripted(context, answering(layers, flip));
      const disk = newDisk();
      const wanted = { IMG_URL: `${host}/a:${title}`, DEST_DISK: disk };
      const changes = title === 'raw' ? { COMPRESSED: 'false' } : {};
      assert.match(errorOf(await run({ ...wanted, ...changes })), /digest|not a whole gzip/);
      assert.ok(!readFileSync(disk).subarray(0, content.length).equals(content));
    }
    const short = await scripted(
      context,
      answering(layers, (_path, bytes) => bytes.subarray(0, -100)),
    );
    const error = errorOf(await run({ IMG_URL: `${short}/a`, DEST_DISK: newDisk() }));
    assert.match(error, /it ended after \d+ of \d+ bytes/);
  },
);

test('artifacts that are no disk image are named with what they have', HANGS, async (context) => {
  const content = Buffer.from('x');
  const cases: readonly (readonly [readonly Pushed[], RegExp])[] = [
    [[], /it has no layers/],
    [[{ content }], /\.v1\.tar without title/],
    [[{ content, title: 'a.raw', mediaType: mediaTypes.layerGzip }], /tar\+gzip "a\.raw"/],
    [
      [
        { content, title: 'a' },
        { content, title: 'b' },
      ],
      /2 disk images: "a", "b"/,
    ],
    [[{ content: Buffer.alloc(0), title: 'a' }], /is empty/],
  ];
  for (const [layers, reason] of cases) {
    const host = await scripted(context, answering(layers));
    assert.match(errorOf(await run({ IMG_URL: `${host}/a`, DEST_DISK: newDisk() })), reason);
  }
});

test('an unknown certificate is refused unless SKIP_VERIFY is set', HANGS, async (context) => {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...options, '-subj', '/CN=x', '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  });
  const answer = answering([{ content: IMAGE, title: 'debian.raw' }]);
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) });
  server.on('request', (request, response) => response.end(answer(request.url ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  context.after(() => server.closeAllConnections());
  const disk = newDisk();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wanted = { IMG_URL: `${host}/a`, DEST_DISK: disk, PLAIN_HTTP: 'false' };
  assert.match(errorOf(await run(wanted)), /self-signed certificate/);
  assert.ok((await run({ ...wanted, SKIP_VERIFY: 'true' })).ok);
  assert.ok(readFileSync(disk).subarray(0, IMAGE.length).equals(IMAGE));
});

test('names every wrong variable', () => {
  assert.throws(
    () =>
      readSettings({
        IMG_URL: 'https://quay.io/a',
        COMPRESSED: 'maybe',
        REGISTRY_USERNAME: 'a',
        SKIP_VERIFY: 'x',
      }),
    /DEST_DISK is missing.*COMPRESSED=maybe.*must be set together.*SKIP_VERIFY=x.*IMG_URL=https:\/\/quay.io\/a is invalid: remove the scheme/,
  );
  assert.throws(() => readSettings({ IMG_URL: 'A B', DEST_DISK: '/dev/a' }), /IMG_URL=A B is invalid/);
});

test('the registry of the own server gets the session, and uses plain HTTP if the server does', () => {
  const settings = readSettings({ IMG_URL: '192.0.2.1:7080/disks/debian:gz', DEST_DISK: '/dev/sda' });
  const server = { session: 'abc', origins: ['http://192.0.2.1:7080'], hookUrl: undefined };
  const { credentials, plainHttp } = registriesFor(settings, server);
  assert.deepEqual(credentials, [{ registry: '192.0.2.1:7080', username: 'agent-session', password: 'abc' }]);
  assert.deepEqual(plainHttp, ['192.0.2.1:7080']);
});
