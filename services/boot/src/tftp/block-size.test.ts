import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockSizeBytesMaxFor } from './block-size.ts';

const on = (mtuBytes: number | undefined, address = '192.168.77.1', netmask = '255.255.255.0') => [
  { name: 'lo', mac: '', address: '127.0.0.1', netmask: '255.0.0.0', internal: true, mtuBytes: 65_536 },
  { name: 'eth0', mac: '', address, netmask, internal: false, mtuBytes },
];

test('a block fills one packet of the network interface whose subnet has the client', () => {
  assert.equal(blockSizeBytesMaxFor('192.168.77.10', on(1500)), 1468);
  assert.equal(blockSizeBytesMaxFor('192.168.77.10', on(9000)), 8968);
  assert.equal(blockSizeBytesMaxFor('127.0.1.1', on(1500)), 65_464);
  assert.equal(blockSizeBytesMaxFor('192.168.77.10', on(68)), 512);
});

test('behind a router, and where the MTU is unknown, a block fills an Ethernet frame', () => {
  assert.equal(blockSizeBytesMaxFor('192.168.78.10', on(9000)), 1468);
  assert.equal(blockSizeBytesMaxFor('192.168.77.10', on(undefined)), 1468);
  assert.equal(blockSizeBytesMaxFor('192.168.77.10', on(9000, '192.168.77.1', 'bad')), 1468);
});
