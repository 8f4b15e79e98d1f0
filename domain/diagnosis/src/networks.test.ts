import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { areNeighbours } from './networks.ts';

const at = (address?: string, netmask = '255.255.255.0'): Hardware => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm', namespace: 'default' },
  spec: { interfaces: [{ dhcp: address === undefined ? {} : { ip: { address, netmask } } }] },
});

test('machines are neighbours when the netmask says so, and never without an address', () => {
  assert.equal(areNeighbours(at('10.0.1.5'), at('10.0.1.200')), true);
  assert.equal(areNeighbours(at('10.0.1.5'), at('10.0.2.5')), false);
  assert.equal(areNeighbours(at('10.0.1.5', '255.255.0.0'), at('10.0.2.5')), true);
  assert.equal(areNeighbours(at(), at('10.0.1.5')), false);
  assert.equal(areNeighbours(at('10.0.1.5'), at()), false);
  assert.equal(areNeighbours(at('10.0.1.5'), at('fd00::5')), false);
});
