import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { GARBAGE_PATH } from './registry.ts';
import { digestOf, manifestText, pushBlob, pushImage, putManifest } from './testing/pushed-image.ts';
import { startRegistry, type RegistryBench } from './testing/registry-bench.ts';

const HOURS = 60 * 60 * 1000;

async function collected(bench: RegistryBench): Promise<Record<string, number>> {
  const answer = await bench.call('POST', GARBAGE_PATH);
  assert.equal(answer.status, 200);
  return (await answer.json()) as Record<string, number>;
}

function blobFiles(bench: RegistryBench): string[] {
  return readdirSync(`${bench.directory}/blobs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
}

test('what no manifest needs is removed after the grace time, and everything else stays', async () => {
  await using bench = await startRegistry();
  const old = await pushImage(bench, ['a', 'old'], ['shared', 'old layer']);
  await pushImage(bench, ['b', 'new'], ['shared', 'new layer']);
  await pushBlob(bench, 'a', 'without a manifest');
  await bench.call('DELETE', `/v2/a/manifests/${old}`);
  assert.equal((await collected(bench))['removedBlobs'], 0);
  bench.clock.aheadMs = 2 * HOURS;
  const { removedBlobs, removedBytes, keptBlobs, manifests } = await collected(bench);
  assert.deepEqual([removedBlobs, keptBlobs, manifests], [3, 4, 1]);
  assert.equal(
    removedBytes,
    'old layerwithout a manifest'.length + manifestText(['shared', 'old layer']).length,
  );
  for (const layer of ['shared', 'new layer'])
    assert.equal((await bench.call('GET', `/v2/b/blobs/${digestOf(layer)}`)).status, 200);
  assert.equal((await bench.call('HEAD', `/v2/a/blobs/${digestOf('old layer')}`)).status, 404);
});

test('a blob that a client asks for during the grace time stays for another one', async () => {
  await using bench = await startRegistry({ config: { graceMs: 1000 } });
  const digest = await pushBlob(bench, 'a', 'layer');
  // The file times are of the machine, and the clock of the test is ahead of them.
  bench.clock.aheadMs = 500;
  assert.equal((await bench.call('HEAD', `/v2/a/blobs/${digest}`)).status, 200);
  assert.equal((await collected(bench))['removedBlobs'], 0);
  bench.clock.aheadMs = 5000;
  assert.equal((await collected(bench))['removedBlobs'], 1);
});

test('abandoned uploads are removed after a day when the server starts', async () => {
  await using first = await startRegistry();
  const location = (await first.call('POST', '/v2/a/blobs/uploads/')).headers.get('location') ?? '';
  const { clock } = first;
  clock.aheadMs = 23 * HOURS;
  const again = () => startRegistry({ config: { directory: first.directory }, deps: { clock } });
  {
    await using second = await again();
    assert.equal((await second.call('GET', location)).status, 204);
  }
  clock.aheadMs = 25 * HOURS;
  await using third = await again();
  assert.equal((await third.call('GET', location)).status, 404);
  assert.deepEqual(readdirSync(`${first.directory}/uploads`), []);
});

/** All blobs are older than the grace time, so that only holds protect them. */
test('collections beside pushes never remove a blob of a push that was accepted', async () => {
  await using bench = await startRegistry({ config: { graceMs: 0 } });
  bench.clock.aheadMs = HOURS;
  const layers = ['one', 'two', 'three', 'four'];
  const over = new AbortController();
  const collecting = (async () => {
    let count = 0;
    for (; !over.signal.aborted; count += 1) await collected(bench);
    return count;
  })();
  let accepted = 0;
  for (let round = 0; round < 150; round += 1) {
    const used = layers.filter((_, index) => ((round >> index) & 1) === 1);
    for (const content of ['{}', ...used]) await pushBlob(bench, 'a', content);
    const answer = await putManifest(bench, 'a/manifests/v1', manifestText(used));
    if (answer.status !== 201) continue;
    accepted += 1;
    for (const content of ['{}', ...used])
      assert.equal(
        (await bench.call('GET', `/v2/a/blobs/${digestOf(content)}`)).status,
        200,
        `${round} ${content}`,
      );
    await bench.call('DELETE', `/v2/a/manifests/${answer.headers.get('docker-content-digest') ?? ''}`);
  }
  over.abort();
  assert.ok((await collecting) > 10);
  assert.ok(accepted > 0, 'without a grace time some pushes fail, and some do not');
  await collected(bench);
  assert.deepEqual(blobFiles(bench), []);
});

test('a second collection at the same time is rejected', async () => {
  await using bench = await startRegistry();
  for (let count = 0; count < 20; count += 1) await pushBlob(bench, 'a', `${count}`);
  const answers = await Promise.all([bench.call('POST', GARBAGE_PATH), bench.call('POST', GARBAGE_PATH)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429]);
});

test('a reader that began before a collection gets the whole blob', async () => {
  await using bench = await startRegistry({ config: { graceMs: 0 } });
  const content = 'x'.repeat(5_000_000);
  const digest = await pushBlob(bench, 'a', content);
  const answer = await bench.call('GET', `/v2/a/blobs/${digest}`);
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  bench.clock.aheadMs = HOURS;
  assert.equal((await collected(bench))['removedBlobs'], 1);
  let size = first?.value?.length ?? 0;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    size += next.value.length;
  assert.equal(size, content.length);
});
