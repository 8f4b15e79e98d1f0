import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ANONYMOUS, type User } from '@tinkerbell/access';
import { SESSION_HEADER, type Authorizer, type SessionVerifier } from '@tinkerbell/platform-contract';
import { authorizationOf, rejection } from './access.ts';
import { errorOf, pushImage } from './testing/pushed-image.ts';
import { startRegistry, type BenchOptions } from './testing/registry-bench.ts';

/** Permits a user what its name lists: `get,create`. */
const byName: Authorizer = {
  decide: ({ name }, asked) => ({
    allowed: 'resource' in asked && asked.resource === 'images' && name.split(',').includes(asked.verb),
    reason: `User "${name}" cannot ${asked.verb} resource "images"`,
  }),
  rulesOf: () => [],
};
const agentSessions: SessionVerifier = {
  verify: async (session) => {
    if (session !== 'live') return { ok: false, refusal: { reason: 'expired', message: 'ended' } as never };
    return { ok: true, mac: '02:00:00:00:00:01' as never, hardware: { namespace: 'default', name: 'one' } };
  },
};

async function as(who: User, { config, ...more }: BenchOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-registry-'));
  {
    await using owner = await startRegistry({ config: { directory } });
    await pushImage(owner, ['a', 'v1'], ['layer']);
  }
  return startRegistry({
    deps: { authorizer: byName, agentSessions },
    context: { user: who },
    config: { directory, ...config },
    ...more,
  });
}

const user = (name: string): User => ({ name, groups: [] });
const requests = [
  ['get', 'GET', '/v2/'],
  ['get', 'GET', '/v2/_catalog'],
  ['get', 'GET', '/v2/a/tags/list'],
  ['get', 'HEAD', '/v2/a/manifests/v1'],
  ['get', 'GET', `/v2/a/referrers/sha256:${'0'.repeat(64)}`],
  ['create', 'POST', '/v2/a/blobs/uploads/'],
  ['create', 'GET', '/v2/a/blobs/uploads/0'],
  ['create', 'PATCH', '/v2/a/blobs/uploads/0'],
  ['create', 'PUT', '/v2/a/manifests/v1'],
  ['create', 'DELETE', '/v2/a/blobs/uploads/0'],
  ['delete', 'POST', '/v1/registry/gc'],
  ['delete', 'DELETE', `/v2/a/blobs/sha256:${'0'.repeat(64)}`],
  ['delete', 'DELETE', '/v2/a/manifests/v1'],
] as const;

for (const verb of ['get', 'create', 'delete'])
  test(`a user who may ${verb} images may do that and nothing else`, async () => {
    await using bench = await as(user(verb));
    for (const [needed, method, path] of requests) {
      const { status } = await bench.call(method, path);
      assert.equal(status === 403, needed !== verb, `${method} ${path}: ${status}`);
    }
  });

test('a client without a credential is asked for one', async () => {
  await using bench = await as(ANONYMOUS);
  for (const [, method, path] of requests) {
    const answer = await bench.call(method, path);
    assert.equal(answer.status, 401, path);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="Tinkerbell"/);
  }
  assert.match(await errorOf(await bench.call('GET', '/v2/')), /^401 UNAUTHORIZED: .*tink token create/);
});

test('with anonymous pull, everyone may pull, and nobody without a credential may push', async () => {
  await using bench = await as(ANONYMOUS, { config: { anonymousPull: true } });
  for (const [verb, method, path] of requests) {
    const { status } = await bench.call(method, path);
    assert.equal(status, verb === 'get' ? 200 : 401, `${method} ${path}`);
  }
});

test('an agent pulls with its live session, in a header or as a password, and pushes nothing', async () => {
  await using bench = await as(ANONYMOUS);
  const basic = (session: string) => ({ authorization: `Basic ${btoa(`agent-session:${session}`)}` });
  for (const headers of [{ [SESSION_HEADER]: 'live' }, basic('live')]) {
    assert.equal((await bench.call('GET', '/v2/a/manifests/v1', { headers })).status, 200);
    assert.equal((await bench.call('POST', '/v2/a/blobs/uploads/', { headers })).status, 401);
  }
  for (const headers of [{ [SESSION_HEADER]: 'ended' }, basic('ended')])
    assert.match(
      await errorOf(await bench.call('GET', '/v2/', { headers })),
      /^401 UNAUTHORIZED: the session/,
    );
});

test('the password of Basic is the token, unless a web page sends it', () => {
  const of = (authorization: string | undefined, origin?: string) =>
    authorizationOf(
      new Request('http://x/', {
        headers: { ...(authorization && { authorization }), ...(origin && { origin }) },
      }),
    );
  const basic = (text: string) => `Basic ${btoa(text)}`;
  assert.equal(of(undefined), undefined);
  assert.equal(of('Bearer abc'), 'Bearer abc');
  assert.equal(of(basic('anyone:abc')), 'Bearer abc');
  assert.equal(of(basic('anyone:a:b')), 'Bearer a:b');
  assert.equal(of(basic(':')), undefined);
  assert.equal(of(basic('agent-session:abc')), undefined);
  assert.equal(of(basic('anyone:abc'), 'https://evil.example'), undefined);
  for (const broken of ['Basic', 'Basic ???', basic('no colon'), 'Digest x'])
    assert.equal(of(broken), broken);
});

test('what the front of the server rejects has the format of a registry', async () => {
  assert.match(await errorOf(rejection('no', 403)), /^403 DENIED: no/);
  const answer = rejection('who?', 401);
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic/);
  assert.match(await errorOf(answer), /^401 UNAUTHORIZED: who\?/);
});
