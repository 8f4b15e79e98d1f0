import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddressPool } from '../index.ts';

test('a pool is read with all its settings, and with none', () => {
  assert.deepEqual(
    parseAddressPool('192.0.2.100-192.0.2.200/24,gateway=192.0.2.1,dns=192.0.2.53,dns=192.0.2.54,lease=2h'),
    {
      ok: true,
      value: {
        first: '192.0.2.100',
        last: '192.0.2.200',
        prefixLength: 24,
        gateway: '192.0.2.1',
        nameServers: ['192.0.2.53', '192.0.2.54'],
        leaseTimeSeconds: 7200,
      },
    },
  );
  assert.deepEqual(parseAddressPool('10.0.0.5-10.0.0.5/8'), {
    ok: true,
    value: {
      first: '10.0.0.5',
      last: '10.0.0.5',
      prefixLength: 8,
      nameServers: [],
      leaseTimeSeconds: 3600,
    },
  });
});

const refused: readonly [text: string, why: RegExp][] = [
  ['', /"": write FIRST-LAST\/PREFIX, as in 192\.0\.2\.100-/],
  ['192.0.2.0/24', /write FIRST-LAST/],
  ['192.0.2.100-192.0.2.300/24', /last address is not an IPv4 address: "192\.0\.2\.300"/],
  ['127.0.0.1-127.0.0.9/24', /first address is not a host address/],
  ['192.0.2.100-192.0.2.200/31', /prefix \/31/],
  ['192.0.2.100-192.0.3.200/24', /not in one \/24 network/],
  ['192.0.2.200-192.0.2.100/24', /192\.0\.2\.200 comes after the last/],
  ['192.0.2.0-192.0.2.9/24', /the network's own address/],
  ['192.0.2.9-192.0.2.255/24', /the broadcast address/],
  ['10.0.0.1-10.0.64.1/16', /16385 addresses are more than/],
  ['192.0.2.5-192.0.2.9/24,gateway=192.0.3.1', /gateway 192\.0\.3\.1 is not in the network/],
  ['192.0.2.5-192.0.2.9/24,gateway=192.0.2.7', /one of the pool's own/],
  ['192.0.2.5-192.0.2.9/24,gateway=192.0.2.1,gateway=192.0.2.2', /gateway is duplicated/],
  ['192.0.2.5-192.0.2.9/24,dns', /dns is not an IPv4 address: ""/],
  ['192.0.2.5-192.0.2.9/24,router=192.0.2.1', /"router=192\.0\.2\.1" is unknown; use gateway=/],
  ['192.0.2.5-192.0.2.9/24,lease=60', /such as 1h, not "60"/],
  ['192.0.2.5-192.0.2.9/24,lease=5s', /a lease of 5s is not between/],
  ['192.0.2.5-192.0.2.9/24,lease=9999999999d', /not between/],
];

test('an invalid pool is refused with the reason and the value', () => {
  for (const [text, why] of refused) {
    const result = parseAddressPool(text);
    assert.ok(!result.ok, text);
    assert.match(result.message, why);
  }
});
