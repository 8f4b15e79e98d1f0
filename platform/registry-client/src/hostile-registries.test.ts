/** What a hostile or broken registry can answer. Nothing of it is used, and every wait is bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlatformError, type PlatformErrorCode } from '@tinkerbell/platform-contract';
import {
  clientFor,
  pullLayer,
  scriptedRegistry,
  serveFiles,
  smallImage,
  type Script,
} from './testing/scripted-registry.ts';

const HANGS = { timeout: 60_000 };
const LAYER = Buffer.alloc(3 * 1024 * 1024, 'layer ');
const isBlob = (url: string | undefined, digest: string) => url?.endsWith(`blobs/${digest}`) === true;

function failsWith(code: PlatformErrorCode, text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof PlatformError, String(error));
    assert.match(error.message, text);
    assert.equal(error.code, code, error.message);
    return true;
  };
}

test('an image is pulled, and the requests are anonymous', HANGS, async (context) => {
  const { files } = smallImage(LAYER);
  const { host, asked } = await scriptedRegistry(context, serveFiles(files));
  assert.ok(LAYER.equals(await pullLayer(clientFor({ plainHttp: [host] }), host)));
  assert.ok(asked.every(({ authorization }) => authorization === undefined));
});

test(
  'a missing image is named with the registry, the repository, the status and its message',
  HANGS,
  async (context) => {
    const { host } = await scriptedRegistry(context, serveFiles(new Map()));
    await assert.rejects(
      pullLayer(clientFor({ plainHttp: [host] }), host),
      failsWith(
        'not-found',
        /registry 127\.0\.0\.1:\d+: cannot get the manifest of a:latest: status 404: MANIFEST_UNKNOWN manifest unknown/,
      ),
    );
  },
);

test('plain HTTP is refused unless the host is listed', HANGS, async (context) => {
  const { host, asked } = await scriptedRegistry(context, serveFiles(smallImage(LAYER).files));
  await assert.rejects(pullLayer(clientFor({}), host), failsWith('unavailable', /cannot get the manifest/));
  assert.deepEqual(asked, []);
});

const wrongBytes = Buffer.from(LAYER);
wrongBytes[wrongBytes.length - 1] = 0;
const hostileBlobs: readonly [name: string, Script, PlatformErrorCode, RegExp][] = [
  [
    'has another digest',
    (_, outgoing) => outgoing.end(wrongBytes),
    'damaged',
    /its digest is [0-9a-f]{64}, not/,
  ],
  [
    'is longer',
    (_, outgoing) => outgoing.end(Buffer.concat([LAYER, LAYER])),
    'damaged',
    /longer than 3145728 bytes/,
  ],
  ['is shorter', (_, outgoing) => outgoing.end(), 'unavailable', /ended after 0 of 3145728 bytes/],
  [
    'breaks at each attempt without progress',
    (incoming, outgoing) => void outgoing.write('x', () => incoming.socket.destroy()),
    'unavailable',
    /aborted|socket|different range/,
  ],
  ['is refused', (_, outgoing) => outgoing.writeHead(403).end(), 'permission-denied', /status 403; check/],
  ['fails', (_, outgoing) => outgoing.writeHead(503).end(), 'unavailable', /status 503/],
  [
    'redirects for ever',
    (incoming, outgoing) => outgoing.writeHead(302, { location: incoming.url ?? '' }).end(),
    'unavailable',
    /more than 5 redirects/,
  ],
  [
    'redirects to a file',
    (_, outgoing) => outgoing.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'unavailable',
    /redirects to "file:/,
  ],
  [
    'asks for a login each time',
    (_, outgoing) => outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
    'permission-denied',
    /status 401/,
  ],
  ['stays silent', () => undefined, 'unavailable', /no data for 200 ms/],
];
for (const [name, script, code, text] of hostileBlobs)
  test(`a layer that ${name} gives an error`, HANGS, async (context) => {
    const { files, layer } = smallImage(LAYER);
    const files_ = serveFiles(files);
    const { host, asked } = await scriptedRegistry(context, (incoming, outgoing) =>
      isBlob(incoming.url, layer.digest) ? script(incoming, outgoing) : files_(incoming, outgoing),
    );
    const credentials = [{ registry: host, username: 'u', password: 'p' }];
    const client = clientFor({ plainHttp: [host], credentials }, 200);
    await assert.rejects(pullLayer(client, host), failsWith(code, text));
    assert.ok(asked.length < 40, `${asked.length} requests`);
  });

test('the last bytes of a damaged layer are never yielded', HANGS, async (context) => {
  const { files, layer } = smallImage(LAYER);
  files.set(`blobs/${layer.digest}`, wrongBytes);
  const { host } = await scriptedRegistry(context, serveFiles(files));
  const client = clientFor({ plainHttp: [host] });
  const image = await client.image({ registry: host, repository: 'a', tag: 'latest' });
  let bytes = 0;
  await assert.rejects(async () => {
    for await (const chunk of client.blob(image, layer)) bytes += chunk.length;
  });
  assert.ok(bytes < LAYER.length);
});

test('a manifest that contradicts its digest, or is too long, is not used', HANGS, async (context) => {
  const { files } = smallImage(LAYER);
  const manifest = files.get('manifests/latest')!;
  const wrong = `sha256:${'0'.repeat(64)}` as const;
  files.set(`manifests/${wrong}`, manifest);
  files.set('manifests/long', Buffer.alloc(5 * 1024 * 1024, ' '));
  const { host } = await scriptedRegistry(context, serveFiles(files));
  const client = clientFor({ plainHttp: [host] });
  const place = { registry: host, repository: 'a' };
  await assert.rejects(client.image({ ...place, digest: wrong }), failsWith('damaged', /its digest is/));
  await assert.rejects(client.image({ ...place, tag: 'long' }), failsWith('too-large', /exceeds 4194304/));
});

test('a broken download resumes where it stopped', HANGS, async (context) => {
  const { files, layer } = smallImage(LAYER);
  const others = serveFiles(files);
  const { host, asked } = await scriptedRegistry(context, (incoming, outgoing) => {
    if (!isBlob(incoming.url, layer.digest)) return others(incoming, outgoing);
    const from = Number(/^bytes=(\d+)-/.exec(incoming.headers.range ?? '')?.[1] ?? 0);
    const headers = { 'content-range': `bytes ${from}-${LAYER.length - 1}/${LAYER.length}` };
    outgoing.writeHead(from === 0 ? 200 : 206, from === 0 ? {} : headers);
    outgoing.write(LAYER.subarray(from, from + 1_300_000), () => incoming.socket.end());
  });
  assert.ok(LAYER.equals(await pullLayer(clientFor({ plainHttp: [host] }), host)));
  const ranges = asked.filter(({ url }) => isBlob(url, layer.digest)).map(({ range }) => range);
  assert.ok(ranges.length >= 3 && ranges.slice(1).every((range) => /^bytes=[1-9]/.test(range ?? '')));
});

test('a server that sends one byte at a time is given up', HANGS, async (context) => {
  const { files, layer } = smallImage(LAYER);
  const others = serveFiles(files);
  const { host, asked } = await scriptedRegistry(context, (incoming, outgoing) => {
    if (!isBlob(incoming.url, layer.digest)) return others(incoming, outgoing);
    const from = Number(/^bytes=(\d+)-/.exec(incoming.headers.range ?? '')?.[1] ?? 0);
    outgoing.writeHead(from === 0 ? 200 : 206, { 'content-range': `bytes ${from}-9/10` });
    outgoing.end(LAYER.subarray(from, from + 1));
  });
  await assert.rejects(
    pullLayer(clientFor({ plainHttp: [host] }), host),
    failsWith('unavailable', /ended after 5 of/),
  );
  assert.ok(asked.length < 20);
});
