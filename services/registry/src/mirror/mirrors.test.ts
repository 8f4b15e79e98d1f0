import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WholeResponse, type HttpRequest } from '@tinkerbell/platform-contract';
import { createNodeHttp } from '@tinkerbell/platform-node';
import { digestOf, errorOf, manifestText, pushImage } from '../testing/pushed-image.ts';
import { silentLog, startRegistry } from '../testing/registry-bench.ts';
import { mayReach } from './may-reach.ts';

const MINUTES = 60_000;

/** A registry whose requests are counted, and a cache of it. */
async function cached() {
  const upstream = await startRegistry();
  const seen: string[] = [];
  let isDown = false;
  const http = await createNodeHttp(silentLog).listen({ address: '127.0.0.1', port: 0 }, async (request) => {
    if (isDown) return new WholeResponse('', { status: 503 });
    const { pathname } = new URL(request.url);
    seen.push(`${request.method} ${pathname}`);
    return upstream.call(request.method, pathname);
  });
  const mirrors = [{ host: 'up.example', url: `http://127.0.0.1:${http.local.port}` }];
  const cache = await startRegistry({ config: { mirrors, mayReach: () => true } });
  return {
    upstream,
    cache,
    seen,
    setDown: (value: boolean) => void (isDown = value),
    async [Symbol.asyncDispose]() {
      await cache[Symbol.asyncDispose]();
      await http[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

test('an image is fetched once for parallel pulls, and then served from the cache', async () => {
  await using bench = await cached();
  const { upstream, cache, seen } = bench;
  const digest = await pushImage(upstream, ['lab/tool', 'v1'], ['layer']);
  const path = '/v2/mirror/up.example/lab/tool';
  const pull = async () => {
    const manifest = await cache.call('GET', `${path}/manifests/v1`);
    assert.equal(manifest.headers.get('docker-content-digest'), digest);
    assert.equal(await manifest.text(), manifestText(['layer']));
    return (await cache.call('GET', `${path}/blobs/${digestOf('layer')}`)).text();
  };
  assert.deepEqual(await Promise.all([pull(), pull(), pull(), pull()]), Array(4).fill('layer'));
  const expected = [
    `GET /v2/lab/tool/blobs/${digestOf('layer')}`,
    'GET /v2/lab/tool/manifests/v1',
    'HEAD /v2/lab/tool/manifests/v1',
  ];
  assert.deepEqual([...seen].sort(), expected);
  await pull();
  assert.equal(seen.length, 3);
  assert.equal((await cache.call('GET', `${path}/manifests/${digest}?ns=other`)).status, 200);
  assert.equal((await cache.call('GET', `/v2/lab/tool/manifests/v1?ns=up.example`)).status, 200);
  assert.equal((await cache.call('GET', `/v2/lab/tool/manifests/v1`)).status, 404);
  assert.equal((await cache.call('GET', `${path}/manifests/absent`)).status, 404);
  assert.equal((await cache.call('GET', `/v2/mirror/unknown.example/a/manifests/v1`)).status, 404);
});

test('a tag is checked again after a while, and the stored image is served while the registry is down', async () => {
  await using bench = await cached();
  const { upstream, cache, seen } = bench;
  const pull = async () => {
    const answer = await cache.call('HEAD', '/v2/mirror/up.example/a/manifests/v1');
    return answer.headers.get('docker-content-digest') ?? answer.status;
  };
  const first = await pushImage(upstream, ['a', 'v1'], ['one']);
  assert.equal(await pull(), first);
  const second = await pushImage(upstream, ['a', 'v1'], ['two']);
  assert.equal(await pull(), first);
  cache.clock.aheadMs = 6 * MINUTES;
  assert.equal(await pull(), second);
  cache.clock.aheadMs = 12 * MINUTES;
  bench.setDown(true);
  const before = seen.length;
  assert.equal(await pull(), second);
  bench.setDown(false);
  assert.equal(await pull(), second);
  assert.equal(seen.length, before, 'a registry that is down is not asked each time');
  await upstream.call('DELETE', '/v2/a/manifests/v1');
  cache.clock.aheadMs = 18 * MINUTES;
  assert.equal(await pull(), 404);
  bench.setDown(true);
  const failed = await cache.call('GET', '/v2/mirror/up.example/b/manifests/v1');
  assert.match(await errorOf(failed), /^502 UPSTREAM_UNAVAILABLE: .*answered 503/);
});

test('nothing that a lying registry sends is stored or served', async () => {
  const digest = digestOf('true');
  await using http = await createNodeHttp(silentLog).listen(
    { address: '127.0.0.1', port: 0 },
    async () =>
      new WholeResponse('false', { headers: { 'docker-content-digest': digest, 'content-type': 'a/b' } }),
  );
  const mirrors = [{ host: 'up.example', url: `http://127.0.0.1:${http.local.port}` }];
  await using cache = await startRegistry({ config: { mirrors, mayReach: () => true } });
  for (const path of [`blobs/${digest}`, `manifests/${digest}`, 'manifests/v1'])
    assert.match(
      await errorOf(await cache.call('GET', `/v2/mirror/up.example/a/${path}`)),
      /^502 UPSTREAM_UNAVAILABLE/,
      path,
    );
  assert.deepEqual(await (await cache.call('GET', '/v2/_catalog')).json(), { repositories: [] });
});

test('a cache accepts no push, and what it has can be deleted', async () => {
  await using bench = await cached();
  await pushImage(bench.upstream, ['a', 'v1'], []);
  const path = '/v2/mirror/up.example/a';
  assert.equal((await bench.cache.call('GET', `${path}/manifests/v1`)).status, 200);
  assert.match(
    await errorOf(await bench.cache.call('POST', `${path}/blobs/uploads/`)),
    /^403 DENIED: mirror\//,
  );
  assert.match(await errorOf(await bench.cache.call('PUT', `${path}/manifests/v2`)), /^403 DENIED/);
  assert.equal((await bench.cache.call('DELETE', `${path}/manifests/v1`)).status, 202);
});

test('a token for everyone is fetched, and is not sent where the registry redirects', async () => {
  const seen: string[] = [];
  const content = 'layer';
  const answers = async (request: HttpRequest): Promise<Response> => {
    const { pathname, search, origin } = new URL(request.url);
    const authorization = request.headers.get('authorization') ?? 'none';
    seen.push(`${pathname}${search} ${authorization}`);
    if (pathname === '/token') return new WholeResponse('{"token":"abc","expires_in":300}');
    if (pathname === '/cdn') return new WholeResponse(content);
    const challenge = `Bearer realm="${origin}/token",service="up"`;
    if (authorization !== 'Bearer abc')
      return new WholeResponse('', { status: 401, headers: { 'www-authenticate': challenge } });
    return new WholeResponse('', { status: 307, headers: { location: '/cdn' } });
  };
  await using http = await createNodeHttp(silentLog).listen({ address: '127.0.0.1', port: 0 }, answers);
  const mirrors = [{ host: 'docker.io', url: `http://127.0.0.1:${http.local.port}` }];
  await using cache = await startRegistry({ config: { mirrors, mayReach: () => true } });
  const answer = await cache.call('GET', `/v2/mirror/docker.io/alpine/blobs/${digestOf(content)}`);
  assert.equal(await answer.text(), content);
  const blob = `/v2/library/alpine/blobs/${digestOf(content)}`;
  assert.deepEqual(seen, [
    `${blob} none`,
    '/token?service=up&scope=repository%3Alibrary%2Falpine%3Apull none',
    `${blob} Bearer abc`,
    '/cdn none',
  ]);
});

test('a registry at this machine or at a link-local address is not asked', async () => {
  for (const [address, expected] of [
    ['127.0.0.1', false],
    ['::1', false],
    ['169.254.169.254', false],
    ['fe80::1', false],
    ['192.0.2.1', true],
    ['2001:db8::1', true],
    ['not an address', false],
  ] as const)
    assert.equal(mayReach({ address, isThisMachine: /^127|^::1/.test(address) }), expected, address);
  await using http = await createNodeHttp(silentLog).listen({ address: '127.0.0.1', port: 0 }, async () => {
    throw new Error('reached');
  });
  const mirrors = [{ host: 'up.example', url: `http://127.0.0.1:${http.local.port}` }];
  await using cache = await startRegistry({ config: { mirrors } });
  const answer = await cache.call('GET', '/v2/mirror/up.example/a/manifests/v1');
  assert.match(await errorOf(answer), /^502 UPSTREAM_UNAVAILABLE: .*may not connect/);
});
