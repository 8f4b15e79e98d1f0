import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '@tinkerbell/resources';
import { providersFor } from './providers.ts';

const connection: Connection = { host: '192.0.2.9', insecureTLS: true };
const withOptions = (providerOptions: NonNullable<Connection['providerOptions']>): Connection => ({
  ...connection,
  providerOptions,
});

test('IPMI, Redfish and AMT are tried in the order of bmclib', () => {
  assert.deepEqual(providersFor(connection), ['ipmitool', 'gofish', 'intelamt']);
});

test('preferred providers come first, in any case, and the others follow', () => {
  const preferredOrder = ['Gofish', 'IntelAMT'];
  assert.deepEqual(providersFor(withOptions({ preferredOrder })), ['gofish', 'intelamt', 'ipmitool']);
});

test('the vendors of bmclib are Redfish', () => {
  for (const name of ['dell', 'supermicro', 'openbmc'])
    assert.deepEqual(providersFor(withOptions({ preferredOrder: [name] }))[0], 'gofish');
});

test('RPC and Home Assistant are used alone', () => {
  assert.deepEqual(providersFor(withOptions({ rpc: { consumerURL: 'http://a' } })), ['rpc']);
  assert.deepEqual(providersFor(withOptions({ homeassistant: { switchEntityID: 'switch.a' } })), [
    'homeassistant',
  ]);
});
