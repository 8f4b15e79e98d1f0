/** Tests session tokens and phone-home, the two endpoints that change something. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipNetwork } from '@tinkerbell/wire';
import { ADDRESSES, MACS, startRack, type Rack } from './testing/rack.ts';

const LIFETIME = 'x-aws-ec2-metadata-token-ttl-seconds';
const TOKEN = 'x-aws-ec2-metadata-token';

async function tokenOf({ ask }: Rack, peer?: string): Promise<string> {
  const { status, headers, body } = await ask('/latest/api/token', {
    method: 'PUT',
    headers: { [LIFETIME]: '60' },
    ...(peer === undefined ? {} : { peer }),
  });
  assert.equal(status, 200);
  assert.equal(headers.get(LIFETIME), '60');
  return body;
}

test('a token is valid for its machine and its time', async () => {
  const rack = startRack();
  const token = await tokenOf(rack);
  const statusFor = async (peer: string, value: string) =>
    (await rack.ask('/2021-03-23/meta-data/instance-id', { peer, headers: { [TOKEN]: value } })).status;
  assert.equal(await statusFor(ADDRESSES[0], token), 200);
  assert.equal(await statusFor(ADDRESSES[1], token), 401);
  assert.equal(await statusFor(ADDRESSES[0], 'forged'), 401);
  assert.equal(await statusFor(ADDRESSES[0], ''), 401);
  rack.clock.nowMs += 59_999;
  assert.equal(await statusFor(ADDRESSES[0], token), 200);
  rack.clock.nowMs += 1;
  assert.equal(await statusFor(ADDRESSES[0], token), 401);
});

test('when tokens are required, EC2 and NoCloud answer nothing without one, except on this host', async () => {
  const rack = startRack({ config: { tokens: 'required' } });
  const headers = { [TOKEN]: await tokenOf(rack) };
  for (const path of [
    '/latest/user-data',
    '/2009-04-04/',
    '/nocloud/user-data',
    `/nocloud/${MACS[0]}/meta-data`,
  ]) {
    assert.equal((await rack.ask(path)).status, 401, path);
    assert.equal((await rack.ask(path, { headers })).status, 200, path);
  }
  assert.equal((await rack.ask(`/nocloud/${MACS[0]}/meta-data`, { peer: '127.0.0.1' })).status, 200);
});

test('a token lives from one second to six hours', async () => {
  const { ask } = startRack();
  const put = async (headers: Record<string, string>) =>
    (await ask('/latest/api/token', { method: 'PUT', headers })).status;
  for (const lifetime of ['1', '21600']) assert.equal(await put({ [LIFETIME]: lifetime }), 200, lifetime);
  for (const lifetime of ['0', '21601', '-1', '1.5', '01', 'x', ''])
    assert.equal(await put({ [LIFETIME]: lifetime }), 400, lifetime);
  assert.equal(await put({}), 400);
});

test('unknown machines, other methods and untrusted proxies get no token', async () => {
  const headers = { [LIFETIME]: '60' };
  const { ask } = startRack();
  assert.equal((await ask('/latest/api/token', { method: 'PUT', headers, peer: '192.0.2.1' })).status, 404);
  assert.equal((await ask('/latest/api/token', { headers })).status, 405);
  const forwarded = { ...headers, 'x-forwarded-for': ADDRESSES[0] };
  assert.equal((await ask('/latest/api/token', { method: 'PUT', headers: forwarded })).status, 403);
  const trusting = startRack({ config: { trustedProxies: [ipNetwork('10.0.0.1')] } });
  const viaProxy = { method: 'PUT', headers: forwarded, peer: '10.0.0.1' };
  assert.equal((await trusting.ask('/latest/api/token', viaProxy)).status, 200);
});

test('a machine that requests many tokens keeps its newest sixteen', async () => {
  const rack = startRack();
  const tokens: string[] = [];
  for (let count = 0; count < 17; count += 1) tokens.push(await tokenOf(rack));
  const statuses = await Promise.all(
    tokens.map(
      async (token) => (await rack.ask('/latest/user-data', { headers: { [TOKEN]: token } })).status,
    ),
  );
  assert.deepEqual(statuses, [401, ...Array.from({ length: 16 }, () => 200)]);
});

test('phone-home records that the machine is ready, once a minute', async () => {
  for (const path of ['/phone-home', '/phone-home/', '/2009-04-04/phone-home', '/latest/phone-home']) {
    const { ask, journal } = startRack({ config: { tokens: 'required' } });
    const body = new URLSearchParams({ instance_id: 'i-1', hostname: 'other' });
    for (let count = 0; count < 3; count += 1) {
      const { status, body: text } = await ask(path, { method: 'POST', body });
      assert.deepEqual([status, text], [200, ''], path);
    }
    assert.deepEqual(
      journal.map(({ event, machine }) => [event, machine]),
      [['machine-ready', MACS[0]]],
      path,
    );
  }
});

test('phone-home of unknown machines, by other methods, or of endless length is refused', async () => {
  const { ask, journal } = startRack();
  assert.equal((await ask('/phone-home', { method: 'POST', peer: '192.0.2.1' })).status, 404);
  const { status, headers } = await ask('/phone-home');
  assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
  assert.equal((await ask('/phone-home', { method: 'POST', body: 'x'.repeat(64 * 1024 + 1) })).status, 413);
  assert.equal((await ask('/phone-home/other', { method: 'POST' })).status, 404);
  assert.deepEqual(
    journal.filter(({ event }) => event === 'machine-ready'),
    [],
  );
});
