import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED } from '@tinkerbell/access';
import { nodeClock } from '@tinkerbell/platform-node';
import type { Lease } from '@tinkerbell/store-contract';
import { ipv4ToNumber, parseIpv4, type Ipv4 } from '@tinkerbell/wire';
import { startedApi } from './testing/started-api.ts';

const rules = { deny: [], allow: [] };
const address = (text: string): Ipv4 => {
  const parsed = parseIpv4(text);
  assert.ok(parsed !== undefined);
  return parsed;
};
const pool = {
  first: address('192.0.2.10'),
  last: address('192.0.2.19'),
  prefixLength: 24,
  nameServers: [],
  leaseTimeSeconds: 60,
};
const later = nodeClock.nowMs() + 3_600_000;
const held: readonly Lease[] = [
  { address: '192.0.2.10', mac: '52:54:00:00:00:01', state: 'leased', untilMs: later },
  { address: '192.0.2.11', mac: '52:54:00:00:00:02', state: 'leased', untilMs: 1000 },
  { address: '192.0.2.12', mac: '52:54:00:00:00:03', state: 'declined', untilMs: later + 1 },
  { address: '198.51.100.1', mac: '52:54:00:00:00:04', state: 'leased', untilMs: later + 2 },
];

test('pools count what they have assigned, and leases come newest first', async () => {
  const leases = { load: () => Promise.resolve(held) };
  await using api = await startedApi(rules, { leases, pools: [pool] });
  const { code, body } = await api.call('GET', '/dhcp-leases');
  assert.equal(code, 200);
  const [first] = body.pools;
  assert.deepEqual(
    [first.first, first.addresses, first.leased, first.inUseElsewhere],
    ['192.0.2.10', 10, 1, 1],
  );
  assert.deepEqual(
    body.leases.map((one: Lease) => one.address),
    ['198.51.100.1', '192.0.2.12', '192.0.2.10', '192.0.2.11'],
  );
  assert.equal(body.leases[3].until, '1970-01-01T00:00:01.000Z');
  assert.equal((await api.call('POST', '/dhcp-leases', {})).code, 405);
});

test('a long list is cut, and says how long it is', async () => {
  const many = Array.from({ length: 1500 }, (_, index): Lease => {
    const number = ipv4ToNumber(pool.first) + index;
    return {
      address: `10.0.${(number >> 8) & 255}.${number & 255}`,
      mac: `${index}`,
      state: 'leased',
      untilMs: later,
    };
  });
  await using api = await startedApi(rules, { leases: { load: () => Promise.resolve(many) } });
  const { body } = await api.call('GET', '/dhcp-leases');
  assert.deepEqual([body.total, body.leases.length, body.pools], [1500, 1000, []]);
});

test('it needs the role view, and a server without pools has none', async () => {
  await using api = await startedApi(rules, { isGuarded: true });
  assert.deepEqual((await api.call('GET', '/dhcp-leases')).body, { pools: [], total: 0, leases: [] });
  api.as({ name: 'ann', groups: [AUTHENTICATED] });
  assert.equal((await api.call('GET', '/dhcp-leases')).code, 403);
});
