import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { digestOf, errorOf, pushBlob } from './testing/pushed-image.ts';
import { startRegistry, type RegistryBench } from './testing/registry-bench.ts';

async function begun(bench: RegistryBench, repository = 'a'): Promise<string> {
  const answer = await bench.call('POST', `/v2/${repository}/blobs/uploads/`);
  assert.equal(answer.status, 202);
  return answer.headers.get('location') ?? '';
}

function patch(bench: RegistryBench, location: string, [start, text]: [number, string]): Promise<Response> {
  const range = `${start}-${start + text.length - 1}`;
  return bench.call('PATCH', location, { body: text, headers: { 'content-range': range } });
}

test('chunks are appended in order, and a wrong one is answered with the state', async () => {
  await using bench = await startRegistry();
  const location = await begun(bench);
  assert.equal((await patch(bench, location, [0, 'abc'])).headers.get('range'), '0-2');
  for (const chunk of [
    [0, 'abc'],
    [4, 'e'],
    [2, 'x'],
  ] as [number, string][]) {
    const wrong = await patch(bench, location, chunk);
    assert.deepEqual(
      [wrong.status, wrong.headers.get('range'), wrong.headers.get('location')],
      [416, '0-2', location],
    );
  }
  assert.equal((await bench.call('GET', location)).headers.get('range'), '0-2');
  assert.equal((await patch(bench, location, [3, 'de'])).status, 202);
  const done = await bench.call('PUT', `${location}?digest=${digestOf('abcdef')}`, { body: 'f' });
  assert.equal(done.status, 201);
  assert.equal(await (await bench.call('GET', done.headers.get('location') ?? '')).text(), 'abcdef');
  assert.match(await errorOf(await bench.call('GET', location)), /^404 BLOB_UPLOAD_UNKNOWN/);
});

test('an upload resumes after a restart of the server', async () => {
  await using first = await startRegistry();
  const location = await begun(first);
  await patch(first, location, [0, 'before ']);
  await using second = await startRegistry({ config: { directory: first.directory } });
  assert.equal(samplesOf(second.service.metrics)['registry_uploads'], 1);
  assert.equal((await second.call('GET', location)).headers.get('range'), '0-6');
  await patch(second, location, [7, 'after']);
  const done = await second.call('PUT', `${location}?digest=${digestOf('before after')}`);
  assert.equal(done.status, 201);
});

test('a client that breaks off resumes at the bytes that arrived', async () => {
  await using bench = await startRegistry();
  const location = await begun(bench);
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('first '));
      controller.error(new Error('the connection broke'));
    },
  });
  const cut = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('first ')),
    pull: (controller) => controller.error(new Error('the connection broke')),
  });
  await assert.rejects(() => bench.call('PATCH', location, { body: broken }), /the connection broke/);
  await assert.rejects(() => bench.call('PATCH', location, { body: cut }), /the connection broke/);
  const range = (await bench.call('GET', location)).headers.get('range') ?? '';
  const size = Number(range.split('-')[1]) + 1;
  const sent = 'first '.repeat(size / 6);
  assert.equal(
    (await bench.call('PUT', `${location}?digest=${digestOf(`${sent}last`)}`, { body: 'last' })).status,
    201,
  );
});

test('a wrong digest ends the upload and stores nothing', async () => {
  await using bench = await startRegistry();
  const location = await begun(bench);
  const wrong = await bench.call('PUT', `${location}?digest=${digestOf('other')}`, { body: 'text' });
  assert.match(await errorOf(wrong), /^400 DIGEST_INVALID: the 4 bytes have the digest sha256:/);
  assert.equal((await bench.call('GET', location)).status, 404);
  const whole = await bench.call('POST', `/v2/a/blobs/uploads/?digest=${digestOf('other')}`, {
    body: 'text',
  });
  assert.equal(whole.status, 400);
  assert.deepEqual(readdirSync(`${bench.directory}/uploads`), []);
  assert.equal(samplesOf(bench.service.metrics)['registry_uploads'], 0);
});

test('lengths and ranges that contradict the body are rejected', async () => {
  await using bench = await startRegistry();
  const location = await begun(bench);
  const send = (headers: Record<string, string>, body = 'four') =>
    bench.call('PATCH', location, { body, headers });
  for (const [headers, expected] of [
    [{ 'content-length': '5' }, /^400 SIZE_INVALID: 4 bytes arrived/],
    [{ 'content-range': '0-9', 'content-length': '4' }, /^400 SIZE_INVALID: Content-Range has 10/],
    [{ 'content-length': '-1' }, /^400 SIZE_INVALID/],
    [{ 'content-length': '1e3' }, /^400 SIZE_INVALID/],
    [{ 'content-range': '3-0' }, /^416 BLOB_UPLOAD_INVALID/],
    [{ 'content-range': 'bytes */4' }, /^416 BLOB_UPLOAD_INVALID/],
    [{ 'content-range': '0-99999999999999999' }, /^416 BLOB_UPLOAD_INVALID/],
    [{ 'content-length': '999999999999999' }, /^507 STORAGE_FULL/],
  ] as const)
    assert.match(await errorOf(await send(headers)), expected, JSON.stringify(headers));
});

test('an upload belongs to one repository and to one request at a time', async () => {
  await using bench = await startRegistry();
  const location = await begun(bench);
  const foreign = location.replace('/v2/a/', '/v2/b/');
  assert.match(await errorOf(await bench.call('GET', foreign)), /^404 BLOB_UPLOAD_UNKNOWN/);
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const slow = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reached.resolve();
        await open.promise;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const writing = bench.call('PATCH', location, { body: slow });
  await reached.promise;
  assert.match(await errorOf(await bench.call('PATCH', location, { body: 'x' })), /^409 BLOB_UPLOAD_INVALID/);
  open.resolve();
  assert.equal((await writing).status, 202);
});

test('two uploads of one blob both succeed, and it is stored and counted once', async () => {
  await using bench = await startRegistry();
  const content = 'same'.repeat(1000);
  await Promise.all(['a', 'a', 'b', 'c'].map((repository) => pushBlob(bench, repository, content)));
  assert.equal(samplesOf(bench.service.metrics)['registry_stored_bytes'], 4000);
  assert.equal(await (await bench.call('GET', `/v2/b/blobs/${digestOf(content)}`)).text(), content);
});

test('at most a thousand uploads are open, and one that ends makes room', async () => {
  await using bench = await startRegistry();
  const locations = await Promise.all(Array.from({ length: 1000 }, () => begun(bench)));
  assert.match(
    await errorOf(await bench.call('POST', '/v2/a/blobs/uploads/')),
    /^429 TOOMANYREQUESTS: 1000 uploads/,
  );
  assert.equal((await bench.call('DELETE', locations[0] ?? '')).status, 204);
  await begun(bench);
});
