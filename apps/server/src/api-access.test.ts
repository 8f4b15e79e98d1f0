import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiRefusal, type ApiAudience } from './api-access.ts';

interface Attempt {
  readonly from?: string;
  readonly to?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly audience?: ApiAudience;
}

function refusal({
  from = '127.0.0.1',
  to = '127.0.0.1',
  url = 'http://127.0.0.1:7080/apis',
  headers = {},
  audience = 'loopback',
}: Attempt) {
  return apiRefusal(
    new Request(url, { headers }),
    { peer: { address: from, port: 1 }, localAddress: to },
    audience,
  );
}

test('this machine may, by loopback or by talking to itself', () => {
  assert.equal(refusal({}), undefined);
  assert.equal(refusal({ from: '::1', to: '::1', url: 'http://[::1]:7080/apis' }), undefined);
  assert.equal(refusal({ from: '10.1.0.1', to: '10.1.0.1', url: 'http://10.1.0.1:7080/apis' }), undefined);
  assert.equal(refusal({ url: 'http://localhost:7080/apis' }), undefined);
});

test('another machine may only when everyone may', () => {
  const other = { from: '10.1.0.2', to: '10.1.0.1', url: 'http://10.1.0.1:7080/apis' };
  assert.match(refusal(other) ?? '', /10\.1\.0\.2 needs the server to run with --api-anonymous=everyone/);
  assert.equal(refusal({ ...other, audience: 'everyone' }), undefined);
});

test("a web page in the operator's browser may not, whatever it sends", () => {
  assert.match(refusal({ headers: { origin: 'https://evil.example' } }) ?? '', /does not answer web pages/);
  assert.match(
    refusal({ headers: { origin: 'null' }, audience: 'everyone' }) ?? '',
    /does not answer web pages/,
  );
});

test('a name that was bound to our address may not', () => {
  assert.match(refusal({ url: 'http://rebound.example:7080/apis' }) ?? '', /not as rebound\.example/);
});
