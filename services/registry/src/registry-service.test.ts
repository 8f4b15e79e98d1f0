import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { mediaTypes } from '@tinkerbell/oci';
import { PlatformError } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { openNodeTree } from '@tinkerbell/platform-node';
import {
  bytesOf,
  descriptorOf,
  digestOf,
  errorOf,
  manifestText,
  pushBlob,
  pushImage,
  putManifest,
} from './testing/pushed-image.ts';
import { silentLog, startRegistry } from './testing/registry-bench.ts';

test('an image is pushed and pulled by tag and by digest', async () => {
  await using bench = await startRegistry();
  const digest = await pushImage(bench, ['lab/tool', 'v1'], ['layer']);
  for (const reference of ['v1', digest]) {
    const answer = await bench.call('GET', `/v2/lab/tool/manifests/${reference}`);
    assert.equal(answer.headers.get('content-type'), mediaTypes.imageManifest);
    assert.equal(answer.headers.get('docker-content-digest'), digest);
    assert.equal(await answer.text(), manifestText(['layer']));
  }
  const blob = await bench.call('GET', `/v2/lab/tool/blobs/${digestOf('layer')}`);
  assert.equal(await blob.text(), 'layer');
  assert.equal(
    samplesOf(bench.service.metrics)['registry_stored_bytes'],
    2 + 5 + manifestText(['layer']).length,
  );
});

test('the log names who pushed and deleted what', async () => {
  const lines: unknown[] = [];
  const log = {
    ...silentLog,
    info: (message: string, fields?: object) => void lines.push([message, fields]),
  };
  await using bench = await startRegistry({ deps: { log }, context: { user: { name: 'ci', groups: [] } } });
  await pushImage(bench, ['a', 'v1'], ['layer']);
  await bench.call('DELETE', '/v2/a/manifests/v1');
  await bench.call('DELETE', '/v2/a/manifests/v1');
  const fields = { repository: 'a', reference: 'v1', user: 'ci' };
  assert.deepEqual(lines, [
    ['image pushed', fields],
    ['image deleted', fields],
  ]);
});

test('a blob is sent in ranges, and not again to a client that has it', async () => {
  await using bench = await startRegistry();
  const path = `/v2/a/blobs/${await pushBlob(bench, 'a', '0123456789')}`;
  const ask = (headers: Record<string, string>, method = 'GET') => bench.call(method, path, { headers });
  const part = await ask({ range: 'bytes=2-4' });
  assert.deepEqual(
    [part.status, part.headers.get('content-range'), await part.text()],
    [206, 'bytes 2-4/10', '234'],
  );
  assert.equal((await ask({ range: 'bytes=10-' })).status, 416);
  assert.equal((await ask({ 'if-none-match': part.headers.get('etag') ?? '' })).status, 304);
  assert.match(await (await ask({ range: 'bytes=0-0,9-9' })).text(), /0|9/);
  const head = await ask({}, 'HEAD');
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '10']);
});

test('a manifest whose blobs are missing is rejected by name', async () => {
  await using bench = await startRegistry();
  await pushBlob(bench, 'a', '{}');
  const put = (repository: string, text: string) => putManifest(bench, `${repository}/manifests/v1`, text);
  assert.match(
    await errorOf(await put('a', manifestText(['absent']))),
    /^404 MANIFEST_BLOB_UNKNOWN: .*sha256:[0-9a-f]{64}/,
  );
  // Another repository has the blob, and this one does not.
  await pushBlob(bench, 'b', 'absent');
  assert.match(await errorOf(await put('a', manifestText(['absent']))), /^404 MANIFEST_BLOB_UNKNOWN/);
  const index = JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaTypes.imageIndex,
    manifests: [descriptorOf(mediaTypes.imageManifest, 'absent')],
  });
  assert.match(await errorOf(await put('a', index)), /^404 MANIFEST_BLOB_UNKNOWN: .*manifest sha256:/);
  assert.equal((await bench.call('GET', '/v2/a/manifests/v1')).status, 404);
});

test('a manifest with a wrong digest, type or size is rejected', async () => {
  await using bench = await startRegistry();
  const [text, wrong] = [manifestText([]), digestOf('other')];
  await pushBlob(bench, 'a', '{}');
  assert.match(await errorOf(await putManifest(bench, `a/manifests/${wrong}`, text)), /^400 DIGEST_INVALID/);
  const put = (body: NonNullable<RequestInit['body']>, type: string) =>
    bench.call('PUT', '/v2/a/manifests/v1', { body, headers: { 'content-type': type } });
  assert.match(await errorOf(await put(text, mediaTypes.imageIndex)), /^400 MANIFEST_INVALID: mediaType/);
  assert.match(
    await errorOf(await put('{}', mediaTypes.imageManifest)),
    /^400 MANIFEST_INVALID: schemaVersion/,
  );
  const large = new Uint8Array(4 * 1024 * 1024 + 1);
  assert.match(await errorOf(await put(large, mediaTypes.imageManifest)), /^413 MANIFEST_INVALID/);
  const header = manifestText([], { mediaType: 'a/b\r\nset-cookie: x' });
  assert.match(await errorOf(await put(header, 'a/b\r\nset-cookie: x'.slice(0, 3))), /^400 MANIFEST_INVALID/);
});

test('tags move, are listed in pages, and are deleted alone or with their manifest', async () => {
  await using bench = await startRegistry();
  const first = await pushImage(bench, ['a/b', 'v1'], ['one']);
  const second = await pushImage(bench, ['a/b', 'v2'], ['two']);
  await pushImage(bench, ['a/b', 'latest'], ['one']);
  await pushImage(bench, ['a/b', 'latest'], ['two']);
  const page = await bench.call('GET', '/v2/a/b/tags/list?n=2');
  assert.deepEqual(await page.json(), { name: 'a/b', tags: ['latest', 'v1'] });
  assert.equal(page.headers.get('link'), '</v2/a/b/tags/list?n=2&last=v1>; rel="next"');
  assert.deepEqual(await (await bench.call('GET', '/v2/a/b/tags/list?n=2&last=v1')).json(), {
    name: 'a/b',
    tags: ['v2'],
  });
  assert.deepEqual(await (await bench.call('GET', '/v2/a/b/tags/list?n=0')).json(), {
    name: 'a/b',
    tags: [],
  });
  assert.equal((await bench.call('DELETE', '/v2/a/b/manifests/v1')).status, 202);
  assert.equal((await bench.call('GET', `/v2/a/b/manifests/${first}`)).status, 200);
  assert.equal((await bench.call('DELETE', `/v2/a/b/manifests/${second}`)).status, 202);
  assert.deepEqual(await (await bench.call('GET', '/v2/a/b/tags/list')).json(), { name: 'a/b', tags: [] });
  assert.match(await errorOf(await bench.call('GET', '/v2/no/tags/list')), /^404 NAME_UNKNOWN/);
});

test('referrers are listed by type, also of a subject that does not exist', async () => {
  await using bench = await startRegistry();
  await pushBlob(bench, 'a', '{}');
  const subject = descriptorOf(mediaTypes.imageManifest, 'not pushed');
  for (const artifactType of ['x/sbom', 'x/signature']) {
    const text = manifestText([], { subject, artifactType, annotations: { by: artifactType } });
    const answer = await putManifest(bench, `a/manifests/${digestOf(text)}`, text);
    assert.equal(answer.headers.get('oci-subject'), subject.digest);
  }
  const listed = async (query: string) => {
    const answer = await bench.call('GET', `/v2/a/referrers/${subject.digest}${query}`);
    const { manifests } = (await answer.json()) as { manifests: readonly Record<string, unknown>[] };
    return { filters: answer.headers.get('oci-filters-applied'), manifests };
  };
  assert.equal((await listed('')).manifests.length, 2);
  const { filters, manifests } = await listed('?artifactType=x/sbom');
  assert.equal(filters, 'artifactType');
  assert.deepEqual(
    manifests.map(({ annotations }) => annotations),
    [{ by: 'x/sbom' }],
  );
  await bench.call('DELETE', `/v2/a/manifests/${String(manifests[0]?.['digest'])}`);
  assert.equal((await listed('')).manifests.length, 1);
});

test('long lists of referrers have pages', async () => {
  await using bench = await startRegistry();
  await pushBlob(bench, 'a', '{}');
  const subject = descriptorOf(mediaTypes.imageManifest, 'not pushed');
  for (const number of [1, 2, 3]) {
    const text = manifestText([], {
      subject,
      annotations: { number: `${number}`, long: 'x'.repeat(1_500_000) },
    });
    assert.equal((await putManifest(bench, `a/manifests/${digestOf(text)}`, text)).status, 201);
  }
  const seen: unknown[] = [];
  let next: string | undefined = `/v2/a/referrers/${subject.digest}`;
  for (let pages = 0; next !== undefined && pages < 5; pages += 1) {
    const answer: Response = await bench.call('GET', next);
    seen.push(...((await answer.json()) as { manifests: readonly unknown[] }).manifests);
    next = /<(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  assert.equal(seen.length, 3);
});

test('a blob is mounted from another repository, and deleted from one alone', async () => {
  await using bench = await startRegistry();
  const digest = await pushBlob(bench, 'a', 'shared');
  const mount = (query: string) => bench.call('POST', `/v2/b/blobs/uploads/?mount=${digest}${query}`);
  assert.equal((await mount('&from=c')).status, 202);
  assert.equal((await bench.call('HEAD', `/v2/b/blobs/${digest}`)).status, 404);
  assert.equal((await mount('&from=a')).status, 201);
  assert.equal((await bench.call('DELETE', `/v2/a/blobs/${digest}`)).status, 202);
  assert.match(await errorOf(await bench.call('GET', `/v2/a/blobs/${digest}`)), /^404 BLOB_UNKNOWN/);
  assert.equal(await (await bench.call('GET', `/v2/b/blobs/${digest}`)).text(), 'shared');
});

test('the catalog lists repositories with manifests in pages', async () => {
  await using bench = await startRegistry();
  for (const repository of ['b', 'a/x', 'a', 'a-b']) await pushImage(bench, [repository, 'v1'], []);
  await pushBlob(bench, 'only-a-blob', 'x');
  const answer = await bench.call('GET', '/v2/_catalog?n=3');
  assert.deepEqual(await answer.json(), { repositories: ['a', 'a-b', 'a/x'] });
  assert.equal(answer.headers.get('link'), '</v2/_catalog?n=3&last=a%2Fx>; rel="next"');
  assert.deepEqual(await (await bench.call('GET', '/v2/_catalog?last=a/x')).json(), { repositories: ['b'] });
});

test('a limit of all blobs rejects what exceeds it, and keeps what is stored', async () => {
  await using bench = await startRegistry({ config: { bytesMax: 100 } });
  await pushBlob(bench, 'a', 'x'.repeat(90));
  const content = 'y'.repeat(11);
  const push = (body: NonNullable<RequestInit['body']>) =>
    bench.call('POST', `/v2/a/blobs/uploads/?digest=${digestOf(content)}`, { body });
  const text = await errorOf(await push(bytesOf(content)));
  assert.match(text, /^507 STORAGE_FULL: .*100 bytes.*--registry-max-bytes/);
  const stream = new Blob([content]).stream();
  assert.match(await errorOf(await push(stream)), /^507 STORAGE_FULL/);
  assert.equal((await bench.call('GET', `/v2/a/blobs/${digestOf('x'.repeat(90))}`)).status, 200);
  assert.equal(samplesOf(bench.service.metrics)['registry_uploads'], 0);
});

test('a restarted registry has everything, and counts it', async () => {
  await using first = await startRegistry();
  await pushImage(first, ['a', 'v1'], ['layer']);
  await using second = await startRegistry({ config: { directory: first.directory } });
  assert.equal((await second.call('GET', '/v2/a/manifests/v1')).status, 200);
  const stored = 'registry_stored_bytes';
  assert.equal(samplesOf(second.service.metrics)[stored], samplesOf(first.service.metrics)[stored]);
});

test('files that disappear are an absent image, and other paths and methods are named', async () => {
  await using bench = await startRegistry();
  await pushImage(bench, ['a', 'v1'], ['layer']);
  rmSync(`${bench.directory}/blobs`, { recursive: true });
  assert.match(await errorOf(await bench.call('GET', '/v2/a/manifests/v1')), /^404 MANIFEST_UNKNOWN/);
  assert.match(
    await errorOf(await bench.call('GET', `/v2/a/blobs/${digestOf('layer')}`)),
    /^404 BLOB_UNKNOWN/,
  );
  assert.match(await errorOf(await bench.call('GET', '/v2/a/other')), /^404 UNSUPPORTED/);
  assert.match(await errorOf(await bench.call('PUT', '/v2/a/tags/list')), /^405 UNSUPPORTED/);
  assert.match(await errorOf(await bench.call('GET', '/v2/A/tags/list')), /^400 NAME_INVALID: "A"/);
});

test('a disk that cannot be opened is reported, and opened later', async () => {
  const tasks: (() => void)[] = [];
  const opened = Promise.withResolvers<void>();
  let isBroken = true;
  await using bench = await startRegistry({
    deps: {
      clock: {
        nowMs: () => 0,
        monotonicMs: () => 0,
        schedule: (_, task) => (tasks.push(task), () => undefined),
      },
      openTree: async (path) => {
        if (isBroken) throw new PlatformError('disk-full', 'the disk is full');
        opened.resolve();
        return openNodeTree(path);
      },
    },
  });
  assert.deepEqual(bench.service.health(), { ready: false, reason: 'the disk is full' });
  assert.match(await errorOf(await bench.call('GET', '/v2/')), /^503 UNAVAILABLE: .*the disk is full/);
  isBroken = false;
  tasks[0]?.();
  await opened.promise;
  while (!bench.service.health().ready) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await bench.call('GET', '/v2/')).status, 200);
});
