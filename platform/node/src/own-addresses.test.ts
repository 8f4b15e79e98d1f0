import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import fc from 'fast-check';
import { isOwnAddress } from './own-addresses.ts';

const interfaces = {
  eth0: [
    { family: 'IPv4', address: '192.168.56.4' },
    { family: 'IPv6', address: 'fd00::4' },
    { family: 'IPv6', address: 'fe80::1' },
  ],
} as unknown as Record<string, NetworkInterfaceInfo[]>;

function spellings(ipv4: string): readonly string[] {
  const bytes = ipv4.split('.').map(Number);
  const hex = Buffer.from(bytes).toString('hex');
  const tail = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  const embedded = ['::', '::ffff:', '64:ff9b::'].flatMap((before) => [before + tail, before + ipv4]);
  return [ipv4, ...embedded, ...embedded.map((one) => one.toUpperCase()), `2002:${tail}::1`];
}

test('an address of this machine is its own in every spelling', () => {
  for (const address of ['127.0.0.1', '127.200.3.4', '0.0.0.0', '192.168.56.4'])
    for (const one of spellings(address)) assert.equal(isOwnAddress(one, interfaces), true, one);
  for (const one of ['::1', '0:0:0:0:0:0:0:1', '::', 'fd00::4', 'FD00:0::4', 'fe80::1%eth0', 'fe80::1'])
    assert.equal(isOwnAddress(one, interfaces), true, one);
});

test('other addresses and invalid ones are not its own', () => {
  for (const address of ['192.168.56.5', '128.0.0.1', '10.0.0.4', '1.0.0.0'])
    for (const one of spellings(address)) assert.equal(isOwnAddress(one, interfaces), false, one);
  for (const one of ['fd00::5', 'fe80::2%eth0', '', 'localhost', '127.1'])
    assert.equal(isOwnAddress(one, interfaces), false, one);
});

test('every loopback address is its own, embedded or not', () => {
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), (rest) => {
      for (const one of spellings(`127.${rest.join('.')}`)) assert.equal(isOwnAddress(one, {}), true, one);
    }),
  );
});
