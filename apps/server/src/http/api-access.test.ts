import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authenticator } from '@tinkerbell/platform-contract';
import { admitted, type ApiAudience } from './api-access.ts';

interface Attempt {
  readonly from?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly audience?: ApiAudience;
  readonly isPublic?: boolean;
}

async function answer({
  from = '127.0.0.1',
  url = 'http://127.0.0.1:7080/apis',
  headers = {},
  audience = 'none',
  isPublic = false,
}: Attempt): Promise<string> {
  const found = await admitted(
    new Request(url, { headers }),
    { peer: { address: from, port: 1 } },
    { anonymous: audience, anonymousHosts: ['boot.example.org'], authenticator, isPublic },
  );
  return 'user' in found
    ? [found.user.name, ...found.user.groups].join(' ')
    : `${found.code} ${found.message}`;
}

/** Accepts one token. */
const authenticator: Authenticator = {
  authenticate({ authorization }) {
    if (authorization === undefined) return Promise.resolve(undefined);
    const ok = authorization === 'Bearer good';
    return Promise.resolve(ok ? { ok, user: { name: 'ann', groups: [] } } : { ok, message: 'no good' });
  },
};

const EVERYBODY = 'system:anonymous system:unauthenticated system:masters';
const ADDRESSES = ['127.0.0.1', '127.8.9.1', '::1', '10.1.0.1', '10.1.0.2', '192.0.2.7', ''];

test('no source address proves an identity, including this machine', async () => {
  for (const from of ADDRESSES) assert.match(await answer({ from }), /^401 .*DATA_DIR\/kubeconfig/, from);
});

test('a token is valid from every address', async () => {
  for (const from of ADDRESSES)
    assert.equal(await answer({ from, headers: { authorization: 'Bearer good' } }), 'ann');
});

test('pages that describe the API need no credential, and give an anonymous user', async () => {
  assert.equal(await answer({ isPublic: true }), 'system:anonymous system:unauthenticated');
});

test('accepts everyone if the operator configures it', async () => {
  for (const from of ADDRESSES) assert.equal(await answer({ from, audience: 'everyone' }), EVERYBODY);
});

test('an invalid token is never treated as no token', async () => {
  for (const audience of ['everyone', 'none'] as const)
    for (const isPublic of [true, false])
      assert.equal(
        await answer({ audience, isPublic, headers: { authorization: 'Bearer bad' } }),
        '401 no good',
      );
});

test("rejects a web page in the operator's browser without a token", async () => {
  const origin = 'https://evil.example';
  assert.match(await answer({ headers: { origin } }), /^403 requests from web pages need a token/);
  assert.match(await answer({ headers: { origin: 'null' }, audience: 'everyone' }), /^403/);
  assert.equal(await answer({ headers: { origin, authorization: 'Bearer good' } }), 'ann');
});

test('rejects a host name that was bound to our address, even if everyone is allowed', async () => {
  const names = ['rebound.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.0.0.1x'];
  for (const name of [...names, 'a.127-0-0-1.example', 'localhos', 'xn--127-0-0-1.example'])
    assert.match(
      await answer({ url: `http://${name}:7080/apis`, audience: 'everyone' }),
      /^403 .* is not allowed for requests without a token/,
      name,
    );
  for (const host of ['10.1.0.1', 'localhost', '[::1]', '127.1', 'boot.example.org'])
    assert.equal(await answer({ url: `http://${host}:7080/apis`, audience: 'everyone' }), EVERYBODY, host);
});
