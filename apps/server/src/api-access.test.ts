import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authenticator } from '@tinkerbell/platform-contract';
import { admitted, type ApiAudience } from './api-access.ts';

interface Attempt {
  readonly from?: string;
  readonly to?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly audience?: ApiAudience;
}

async function answer({
  from = '127.0.0.1',
  to = '127.0.0.1',
  url = 'http://127.0.0.1:7080/apis',
  headers = {},
  audience = 'loopback',
}: Attempt): Promise<string> {
  const found = await admitted(
    new Request(url, { headers }),
    { peer: { address: from, port: 1 }, localAddress: to },
    { anonymous: audience, authenticator },
  );
  return 'user' in found ? found.user.name : `${found.code} ${found.message}`;
}

/** Accepts one token. */
const authenticator: Authenticator = {
  authenticate({ authorization }) {
    if (authorization === undefined) return Promise.resolve(undefined);
    const ok = authorization === 'Bearer good';
    return Promise.resolve(ok ? { ok, user: { name: 'ann', groups: [] } } : { ok, message: 'no good' });
  },
};

const ANYBODY = 'system:anonymous';
const other = { from: '10.1.0.2', to: '10.1.0.1', url: 'http://10.1.0.1:7080/apis' };

test('this machine may, by loopback or by talking to itself', async () => {
  assert.equal(await answer({}), ANYBODY);
  assert.equal(await answer({ from: '::1', to: '::1', url: 'http://[::1]:7080/apis' }), ANYBODY);
  assert.equal(await answer({ from: '10.1.0.1', to: '10.1.0.1', url: 'http://10.1.0.1:7080/apis' }), ANYBODY);
  assert.equal(await answer({ url: 'http://localhost:7080/apis' }), ANYBODY);
  assert.match(await answer({ audience: 'none' }), /^401 the API answers nobody without a token/);
});

test('what a proxy on this machine passes on is not from this machine', async () => {
  for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via'])
    assert.match(await answer({ headers: { [name]: '127.0.0.1' } }), /^401/, name);
  assert.equal(await answer({ headers: { 'x-forwarded-for': 'x', authorization: 'Bearer good' } }), 'ann');
});

test('another machine may with a token, or when everyone may', async () => {
  assert.match(await answer(other), /^401 .*10\.1\.0\.2 needs a token, .*--api-anonymous=everyone/);
  assert.equal(await answer({ ...other, audience: 'everyone' }), ANYBODY);
  assert.equal(await answer({ ...other, headers: { authorization: 'Bearer good' } }), 'ann');
});

test('a bad token is never taken for none', async () => {
  for (const audience of ['loopback', 'everyone', 'none'] as const)
    assert.equal(await answer({ audience, headers: { authorization: 'Bearer bad' } }), '401 no good');
});

test("a web page in the operator's browser may not, whatever it sends, but for a token", async () => {
  const origin = 'https://evil.example';
  assert.match(await answer({ headers: { origin } }), /^403 the API answers web pages only with a token/);
  assert.match(await answer({ headers: { origin: 'null' }, audience: 'everyone' }), /^403/);
  assert.equal(await answer({ headers: { origin, authorization: 'Bearer good' } }), 'ann');
});

test('a name that was bound to our address may not', async () => {
  assert.match(await answer({ url: 'http://rebound.example:7080/apis' }), /^403 .*not as rebound\.example/);
});
