/** What a push sends, and where. Debian's registry takes whole images in hook/src/action-images. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { mediaTypes, parseReference } from '@tinkerbell/oci';
import { createRegistryPush, type PushedImage, type RegistrySettings } from './index.ts';
import {
  digestOf,
  noSettings,
  scriptedRegistry,
  type Script,
  type ScriptedRegistry,
} from './testing/scripted-registry.ts';

const HANGS = { timeout: 60_000 };
const BASIC = `Basic ${Buffer.from('user:secret').toString('base64')}`;
const LAYER = Buffer.alloc(300_000, 'layer');
const MANIFEST = Buffer.from('{}');

interface Received extends ScriptedRegistry {
  readonly blobs: Map<string, Buffer>;
  readonly requests: string[];
}

/** Takes uploads, and mounts what it has. With `before`, a request that it answers gets no further. */
async function takingRegistry(context: TestContext, before?: Script): Promise<Received> {
  const blobs = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = await scriptedRegistry(context, (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    before?.(incoming, outgoing);
    if (outgoing.writableEnded) return;
    requests.push(`${method} ${url.replaceAll(/sha256:[0-9a-f]{64}/g, 'DIGEST')}`);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const mounted = searchParams.get('mount') ?? '';
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      if (method === 'HEAD') outgoing.statusCode = blobs.has(pathname.split('/').at(-1) ?? '') ? 200 : 404;
      else if (method === 'POST' && blobs.has(mounted)) outgoing.statusCode = 201;
      else if (method === 'POST') outgoing.writeHead(202, { location: `/v2/up?state=1` });
      else {
        assert.equal(incoming.headers['content-length'], String(body.length));
        blobs.set(searchParams.get('digest') ?? pathname, body);
        outgoing.statusCode = 201;
      }
      outgoing.end();
    });
  });
  return { ...server, blobs, requests };
}

function imageFor(host: string, name = 'a', layer = LAYER): PushedImage {
  const chunks = async function* () {
    for (let at = 0; at < layer.length; at += 65_536) yield layer.subarray(at, at + 65_536);
  };
  return {
    reference: parseReference(`${host}/${name}:v1`),
    blobs: [{ digest: digestOf(layer), sizeBytes: layer.length, chunks }],
    manifests: [{ digest: digestOf(MANIFEST), mediaType: mediaTypes.imageManifest, bytes: MANIFEST }],
  };
}

const pushTo = (host: string, settings: Partial<RegistrySettings> = {}) =>
  createRegistryPush({ settings: { ...noSettings, plainHttp: [host], ...settings } });

test('sends a blob once, and mounts it in other repositories', HANGS, async (context) => {
  const { host, blobs, requests } = await takingRegistry(context);
  const client = pushTo(host);
  assert.deepEqual(await client.push(imageFor(host)), { sentBlobs: 1, sentBytes: LAYER.length });
  assert.ok(blobs.get(digestOf(LAYER))?.equals(LAYER));
  assert.ok(blobs.get('/v2/a/manifests/v1')?.equals(MANIFEST));
  assert.deepEqual(requests.splice(0), [
    'HEAD /v2/a/blobs/DIGEST',
    'POST /v2/a/blobs/uploads/',
    `PUT /v2/up?state=1&digest=${encodeURIComponent(digestOf(LAYER))}`,
    'PUT /v2/a/manifests/v1',
  ]);
  assert.deepEqual(await client.push(imageFor(host)), { sentBlobs: 0, sentBytes: 0 });
  blobs.delete('/v2/a/manifests/v1');
});

test('a blob that only another repository has is mounted', HANGS, async (context) => {
  const { host, requests } = await takingRegistry(context, (incoming, outgoing) => {
    // This repository does not have what the registry has.
    if (incoming.method === 'HEAD' && incoming.url?.startsWith('/v2/b/')) outgoing.writeHead(404).end();
  });
  const client = pushTo(host);
  await client.push(imageFor(host));
  requests.splice(0);
  assert.deepEqual(await client.push(imageFor(host, 'b')), { sentBlobs: 0, sentBytes: 0 });
  assert.deepEqual(requests, ['POST /v2/b/blobs/uploads/?mount=DIGEST&from=a', 'PUT /v2/b/manifests/v1']);
});

test('a token is requested for pushing, and the body is sent again with it', HANGS, async (context) => {
  const tokens = ['first', 'second'];
  let valid = 'none';
  const registry: Received = await takingRegistry(context, (incoming, outgoing) => {
    if (incoming.url?.startsWith('/token?')) {
      valid = incoming.headers.authorization === BASIC ? (tokens.shift() ?? '') : 'none';
      return outgoing.end(JSON.stringify({ token: valid }));
    }
    if (incoming.headers.authorization === `Bearer ${valid}`) return undefined;
    const challenge = `Bearer realm="http://${registry.host}/token",service="s"`;
    incoming.resume();
    return outgoing.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  const { host, asked } = registry;
  const credentials = [{ registry: host, username: 'user', password: 'secret' }];
  const image = imageFor(host);
  let starts = 0;
  const [blob] = image.blobs;
  assert.ok(blob);
  const counted = {
    ...blob,
    chunks() {
      starts += 1;
      // The token ends with the first attempt.
      if (starts === 1) valid = 'expired';
      return blob.chunks();
    },
  };
  await pushTo(host, { credentials }).push({ ...image, blobs: [counted] });
  assert.ok(registry.blobs.get(digestOf(LAYER))?.equals(LAYER));
  assert.equal(starts, 2);
  const scopes = asked.filter(({ url }) => url.startsWith('/token')).map(({ url }) => url);
  assert.deepEqual(new Set(scopes), new Set(['/token?service=s&scope=repository%3Aa%3Apull%2Cpush']));
});

test('the address of an upload on another host does not get the password', HANGS, async (context) => {
  const other = await takingRegistry(context);
  const registry = await takingRegistry(context, (incoming, outgoing) => {
    if (incoming.headers.authorization !== BASIC)
      outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else if (incoming.method === 'POST')
      outgoing.writeHead(202, { location: `http://${other.host}/upload` }).end();
  });
  const credentials = [{ registry: registry.host, username: 'user', password: 'secret' }];
  await pushTo(registry.host, { credentials }).push(imageFor(registry.host));
  assert.ok(other.blobs.has(digestOf(LAYER)));
  assert.ok(other.asked.every(({ authorization }) => authorization === undefined));
});

for (const [what, location] of [
  ['no address', undefined],
  ['an address of another kind', 'ftp://x/y'],
] as const)
  test(`${what} for an upload is an error`, HANGS, async (context) => {
    const { host } = await takingRegistry(context, (incoming, outgoing) => {
      if (incoming.method === 'POST')
        outgoing.writeHead(202, location === undefined ? {} : { location }).end();
    });
    await assert.rejects(pushTo(host).push(imageFor(host)), {
      code: location === undefined ? 'damaged' : 'unavailable',
      message: /cannot push the blob sha256:.* of a: /,
    });
  });

test('a refusal names the repository and the words of the registry', HANGS, async (context) => {
  const { host } = await takingRegistry(context, (incoming, outgoing) => {
    if (incoming.method !== 'PUT') return;
    // Before the body is read.
    outgoing.writeHead(403, { connection: 'close' });
    outgoing.end(JSON.stringify({ errors: [{ code: 'DENIED', message: 'the quota is used' }] }));
  });
  await assert.rejects(pushTo(host).push(imageFor(host)), {
    code: 'permission-denied',
    message: /cannot push the blob .* status 403: DENIED the quota is used; check the name/,
  });
});
