import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  bytesOf,
  handClock,
  ISO_PATH,
  PATCH,
  sourced,
  startIsoServer,
  until,
} from '../testing/iso-server.ts';
import { magicImage, patchedImage, sendImage, startIsoSource } from '../testing/iso-source.ts';

test('an image of a URL is fetched once for many machines, and ranges are served from the disk', async () => {
  const image = magicImage();
  const whole = patchedImage(image, PATCH);
  await using source = await startIsoSource(image);
  await using server = await startIsoServer({ upstreamUrl: source.url });
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.ask()));
  for (const answer of answers) assert.deepEqual(await bytesOf(answer), whole);
  for (const start of [0, 999_999, whole.length - 10]) {
    const part = await server.ask(ISO_PATH, { headers: { range: `bytes=${start}-${start + 9}` } });
    assert.deepEqual(await bytesOf(part), whole.subarray(start, start + 10));
  }
  assert.equal(source.asked.length, 1);
  // The last byte is sent before it is durable on disk.
  await until(() => server.counters()['iso_source_requests_total{outcome="fetched"}'] === 1);
  assert.equal(readdirSync(server.iso.cacheDirectory).length, 1);
});

test("a Hardware's own source has priority over the configured one", async () => {
  const image = magicImage(1);
  await using source = await startIsoSource(image);
  await using server = await startIsoServer(
    { upstreamUrl: 'http://192.0.2.1/x' },
    { hardware: [sourced(source.url)] },
  );
  assert.deepEqual(await bytesOf(await server.ask()), patchedImage(image, PATCH));
});

test('bytes are sent while the image is being downloaded, and none before its magic has been searched', async () => {
  const image = magicImage();
  const whole = patchedImage(image, PATCH);
  await using source = await startIsoSource(image);
  const goOn = Promise.withResolvers<void>();
  source.answer = (_, response) => {
    response.writeHead(200, { etag: '"x"', 'content-length': image.length });
    response.write(image.subarray(0, 1024 * 1024));
    void goOn.promise.then(() => response.end(image.subarray(1024 * 1024)));
  };
  await using server = await startIsoServer({ upstreamUrl: source.url });
  const head = await server.ask(ISO_PATH, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), `${image.length}`);
  const early = await server.ask(ISO_PATH, { headers: { range: 'bytes=0-999999' } });
  assert.deepEqual(await bytesOf(early), whole.subarray(0, 1_000_000));
  const straddling = await server.ask(ISO_PATH, { headers: { range: 'bytes=1048000-1049999' } });
  const reading = bytesOf(straddling);
  goOn.resolve();
  assert.deepEqual(await reading, whole.subarray(1_048_000, 1_050_000));
  assert.equal(source.asked.length, 1);
});

test('a download that breaks off is not kept, and the next request starts again', async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  const { answer } = source;
  source.answer = (_, response) => {
    response.writeHead(200, { etag: '"v1"', 'content-length': image.length });
    response.write(image.subarray(0, 500_000), () => response.destroy());
  };
  await using server = await startIsoServer({ upstreamUrl: source.url });
  await assert.rejects(bytesOf(await server.ask()));
  assert.deepEqual(readdirSync(server.iso.cacheDirectory), []);
  source.answer = answer;
  assert.deepEqual(await bytesOf(await server.ask()), patchedImage(image, PATCH));
  const failed = server.journal.entries.filter(({ event }) => event === 'transfer-failed');
  assert.match(failed[0]?.message ?? '', /^ISO image broken off: \d\.\d of 3\.1 MB by 1 requests in \d+ ms$/);
});

test('a source is asked at most once a minute whether its image changed, and a new image replaces the old one', async () => {
  const first = magicImage(1);
  const second = magicImage(2);
  await using source = await startIsoSource(first);
  const { clock, advance } = handClock();
  await using server = await startIsoServer({ upstreamUrl: source.url }, { clock });
  const served = async () => bytesOf(await server.ask());
  assert.deepEqual(await served(), patchedImage(first, PATCH));
  await until(() => server.counters()['iso_source_requests_total{outcome="fetched"}'] === 1);
  advance(59_000);
  await served();
  assert.equal(source.asked.length, 1);
  advance(1_000);
  assert.deepEqual(await served(), patchedImage(first, PATCH));
  assert.deepEqual(
    source.asked.map(({ headers }) => headers['if-none-match']),
    [undefined, '"v1"'],
  );
  source.answer = (request, response) => sendImage(request, response, { image: second, etag: '"v2"' });
  advance(60_000);
  assert.deepEqual(await served(), patchedImage(second, PATCH));
  await until(() => server.counters()['iso_source_requests_total{outcome="fetched"}'] === 2);
  assert.equal(readdirSync(server.iso.cacheDirectory).length, 1);
  // The source is down, and the cached image is served.
  source.answer = (_, response) => response.writeHead(503).end();
  advance(60_000);
  assert.deepEqual(await served(), patchedImage(second, PATCH));
  assert.equal(server.counters()['iso_source_requests_total{outcome="kept-image-used"}'], 1);
});

test('an image from an earlier run is not fetched again, and is served while the source is down', async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  const { cacheDirectory } = await (async () => {
    await using server = await startIsoServer({ upstreamUrl: source.url });
    await bytesOf(await server.ask());
    await until(() => server.counters()['iso_source_requests_total{outcome="fetched"}'] === 1);
    return server.iso;
  })();
  writeFileSync(join(cacheDirectory, `${'0'.repeat(32)}-${'0'.repeat(32)}-99.iso`), 'part of a download');
  for (const status of [200, 503]) {
    if (status === 503) source.answer = (_, response) => response.writeHead(503).end();
    await using server = await startIsoServer({ upstreamUrl: source.url, cacheDirectory });
    assert.deepEqual(await bytesOf(await server.ask()), patchedImage(image, PATCH));
    assert.equal(server.counters()['iso_source_requests_total{outcome="fetched"}'], undefined);
    assert.equal(readdirSync(cacheDirectory).length, 1);
  }
});

test('the cache stays within its size by removing the least recently used image', async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  const urls = ['a', 'b', 'c'].map((name) => `${source.url}?${name}`);
  const hardware = urls.map((url, index) => {
    const made = sourced(url);
    const [first] = made.spec?.interfaces ?? [];
    const interfaces = [{ ...first, dhcp: { ...first?.dhcp, mac: `02:00:5e:10:00:0${index}` } }];
    const metadata = { name: `m${index}`, namespace: 'default' };
    return { ...made, metadata, spec: { interfaces } };
  });
  await using server = await startIsoServer({ cacheBytesMax: image.length * 2 }, { hardware });
  const read = async (index: number): Promise<void> => {
    await bytesOf(await server.ask(`/iso/02:00:5e:10:00:0${index}/hook.iso`));
    // The last byte is sent before it is durable on disk.
    const kept = () => server.counters()['iso_source_requests_total{outcome="fetched"}'];
    await until(() => kept() === source.asked.length);
  };
  for (const index of [0, 1, 0, 2]) await read(index);
  assert.equal(readdirSync(server.iso.cacheDirectory).length, 2);
  assert.equal(source.asked.length, 3);
  await read(0);
  assert.equal(source.asked.length, 3);
  await read(1);
  assert.equal(source.asked.length, 4);
});

test('an image that does not fit, has no size, or is compressed is refused', async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  await using small = await startIsoServer({ upstreamUrl: source.url, cacheBytesMax: 1_000_000 });
  const refused = await small.ask();
  assert.equal(refused.status, 502);
  assert.match(
    await refused.text(),
    /has 3146505 bytes and the cache room for 1000000; raise --iso-cache-size/,
  );
  const cases: [Record<string, string>, RegExp][] = [
    [{ 'transfer-encoding': 'chunked' }, /does not state the size/],
    [{ 'content-encoding': 'gzip', 'content-length': '10' }, /sends the image as gzip/],
    [{ 'content-length': '0' }, /does not state the size/],
  ];
  for (const [headers, message] of cases) {
    source.answer = (_, response) => response.writeHead(200, headers).end();
    await using server = await startIsoServer({ upstreamUrl: source.url });
    const response = await server.ask();
    assert.equal(response.status, 502);
    assert.match(await response.text(), message);
  }
});

test("a Hardware's URL may not lead to this machine or its segment, and the operator's own may", async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  const strict = { allowed: { hostNames: [], networks: [] } };
  await using byHardware = await startIsoServer(strict, { hardware: [sourced(source.url)] });
  const refused = await byHardware.ask();
  assert.equal(refused.status, 502);
  assert.match(await refused.text(), /it is at 127\.0\.0\.1, where this server may not connect to/);
  assert.equal(source.asked.length, 0);
  await using byOperator = await startIsoServer({ ...strict, upstreamUrl: source.url });
  assert.equal((await byOperator.ask(ISO_PATH, { method: 'HEAD' })).status, 200);
  source.answer = (_, response) => response.writeHead(302, { location: source.url }).end();
  await using redirected = await startIsoServer({ ...strict, upstreamUrl: source.url });
  assert.equal((await redirected.ask()).status, 502);
  const { port } = new URL(source.url);
  source.answer = (request, response) => sendImage(request, response, { image, etag: '"x"' });
  const named = { allowed: { hostNames: ['localhost'], networks: [] } };
  await using byName = await startIsoServer(named, { hardware: [sourced(`http://localhost:${port}/x.iso`)] });
  assert.equal((await byName.ask(ISO_PATH, { method: 'HEAD' })).status, 200);
});

test('a client that disconnects while bytes are awaited ends its request', async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  source.answer = (_, response) =>
    response.writeHead(200, { etag: '"x"', 'content-length': image.length }).write('x');
  await using server = await startIsoServer({ upstreamUrl: source.url });
  const gone = new AbortController();
  const response = await server.ask(ISO_PATH, { signal: gone.signal });
  const reading = bytesOf(response);
  gone.abort();
  await assert.rejects(reading);
  assert.equal(server.counters()['iso_requests_total{outcome="broken-off"}'], 1);
});

test('an image whose source is now refused is neither served nor kept', async () => {
  const image = magicImage();
  await using source = await startIsoSource(image);
  const hardware = [sourced(source.url)];
  const kept = mkdtempSync(join(tmpdir(), 'iso-refused-'));
  {
    await using before = await startIsoServer({ cacheDirectory: kept }, { hardware });
    assert.deepEqual(await bytesOf(await before.ask()), patchedImage(image, PATCH));
    await until(() => before.counters()['iso_source_requests_total{outcome="fetched"}'] === 1);
  }
  assert.equal(readdirSync(kept).length, 1);
  const nothing = { hostNames: [], networks: [] };
  await using after = await startIsoServer({ cacheDirectory: kept, allowed: nothing }, { hardware });
  assert.ok((await after.ask()).status >= 400);
  assert.equal(after.counters()['iso_source_requests_total{outcome="refused"}'], 1);
  assert.deepEqual(readdirSync(kept), []);
  rmSync(kept, { recursive: true });
});

test('an image is not fetched from this machine through a redirect of another host', async () => {
  const image = magicImage();
  await using secret = await startIsoSource(image);
  await using source = await startIsoSource(image);
  source.answer = (_, response) => response.writeHead(302, { location: secret.url }).end();
  const nothing = { hostNames: [], networks: [] };
  await using server = await startIsoServer({ upstreamUrl: source.url, allowed: nothing });
  assert.ok((await server.ask()).status >= 400);
  assert.equal(secret.asked.length, 0);
});
