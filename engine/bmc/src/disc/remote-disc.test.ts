import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNodeHttpClient } from '@tinkerbell/platform-node';
import { codeOf } from '../testing/code-of.ts';
import { ImageServer, imageOf } from '../testing/image-server.ts';
import { DiscCache } from './disc-cache.ts';
import { RemoteDisc } from './remote-disc.ts';

const PART = 512 * 1024;
const { signal } = new AbortController();
const httpClient = createNodeHttpClient();
const mayFetch = () => () => true;

function discAt(url: string, cache = new DiscCache()): Promise<RemoteDisc> {
  return RemoteDisc.open({ httpClient, mayFetch, cache }, { url, signal });
}

async function bytesAt(disc: RemoteDisc, start: number, length: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(disc.read(start, length)));
}

test('parts of an image are fetched once, and its end is filled up', async () => {
  const image = imageOf(PART + 5000);
  await using server = await ImageServer.open(image);
  const disc = await discAt(server.url);
  assert.equal(disc.sizeBytes, image.length);
  assert.deepEqual(await bytesAt(disc, 2048, 4096), Buffer.from(image.subarray(2048, 6144)));
  assert.deepEqual(
    await bytesAt(disc, PART - 2048, 4096),
    Buffer.from(image.subarray(PART - 2048, PART + 2048)),
  );
  const end = await bytesAt(disc, PART + 4096, 2048);
  assert.deepEqual(end, Buffer.concat([image.subarray(PART + 4096), Buffer.alloc(2048 - 904)]));
  assert.deepEqual(server.ranges, ['bytes=0-0', `bytes=0-${PART - 1}`, `bytes=${PART}-${PART + 4999}`]);
  assert.equal((await bytesAt(disc, 2 * PART, 2048)).equals(Buffer.alloc(2048)), true);
});

test('what was used last is kept, within a limit for all images', async () => {
  const image = imageOf(3 * PART);
  await using server = await ImageServer.open(image);
  const disc = await discAt(server.url, new DiscCache(2 * PART));
  for (const index of [0, 1, 0, 2, 0, 1]) await bytesAt(disc, index * PART, 1);
  const fetched = server.ranges.slice(1).map((range) => Number(/\d+/.exec(range)?.[0]) / PART);
  assert.deepEqual(fetched, [0, 1, 2, 1]);
});

test('an answer that breaks is asked for once more', async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  const disc = await discAt(server.url);
  server.breaks = 1;
  assert.equal((await bytesAt(disc, 0, 2048)).length, 2048);
  const other = await discAt(server.url);
  server.breaks = 2;
  assert.equal(await codeOf(bytesAt(other, 0, 2048)), 'busy');
});

test('an image that cannot be used has a reason', async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  const failsWith = (code: string, message: RegExp) => assert.rejects(discAt(server.url), { code, message });
  server.ignoresRanges = true;
  await failsWith('rejected', /does not answer ranges of bytes; use another one/);
  server.ignoresRanges = false;
  server.status = 404;
  await failsWith('rejected', /answers 404/);
  server.status = 503;
  await failsWith('busy', /answers 503/);
  const refused = RemoteDisc.open(
    { httpClient, mayFetch: () => () => false, cache: new DiscCache() },
    { url: server.url, signal },
  );
  await assert.rejects(refused, { code: 'rejected', message: /--iso-allow-source/ });
  assert.equal(await codeOf(discAt('ftp://192.0.2.1/a.iso')), 'busy');
});

test('an image that changes is not mixed with its old one', async () => {
  await using server = await ImageServer.open(imageOf(2 * PART));
  const disc = await discAt(server.url);
  await bytesAt(disc, 0, 2048);
  server.tag = '"2"';
  await assert.rejects(bytesAt(disc, PART, 2048), { code: 'rejected', message: /has changed; eject it/ });
  server.tag = '"1"';
  server.image = imageOf(2 * PART + 1);
  await assert.rejects(bytesAt(disc, PART, 2048), { code: 'rejected', message: /has changed/ });
});
