import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  broadcastAddress,
  formatMac,
  ipv4,
  ipv4FromNumber,
  ipv4ToNumber,
  isGroupMac,
  isHostAddress,
  isNetworkEdge,
  mac,
  macFromBytes,
  macToBytes,
  netmaskOf,
  networkAddress,
  networkContains,
  parseIpv4,
  parseIpv4Network,
  parseMac,
  prefixLengthOf,
} from './index.ts';

test('a MAC is read in four spellings and any case, and kept lower case with colons', () => {
  for (const text of ['02:00:5E:10:00:01', '02-00-5e-10-00-01', '0200.5e10.0001', '02005E100001']) {
    assert.equal(parseMac(text), '02:00:5e:10:00:01');
  }
});

test('a text that resembles a MAC is refused', () => {
  const nearly = [
    '',
    '02:00:5e:10:00',
    '02:00:5e:10:00:0g',
    '02:00-5e:10:00:01',
    '02:00:5e:10:00:01 ',
    '02:00:5e:10:00:01:02:03',
    '2:0:5e:10:0:1',
    '02:00:5e:10:00:01\n',
  ];
  for (const text of nearly) assert.equal(parseMac(text), undefined, JSON.stringify(text));
});

test("a MAC is spelled in upstream's four formats", () => {
  const address = mac('02:00:5e:10:00:01');
  assert.equal(formatMac(address, 'colon'), '02:00:5e:10:00:01');
  assert.equal(formatMac(address, 'dash'), '02-00-5e-10-00-01');
  assert.equal(formatMac(address, 'dot'), '0200.5e10.0001');
  assert.equal(formatMac(address, 'no-delimiter'), '02005e100001');
});

test('MAC bytes round trip, and five bytes are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), (bytes) => {
      const address = macFromBytes(bytes)!;
      assert.deepEqual(macToBytes(address), bytes);
      for (const format of ['colon', 'dash', 'dot', 'no-delimiter'] as const) {
        assert.equal(parseMac(formatMac(address, format)), address);
      }
    }),
  );
  assert.equal(macFromBytes(new Uint8Array(5)), undefined);
});

test('group addresses are distinguished from those of one network interface', () => {
  assert.equal(isGroupMac(mac('ff:ff:ff:ff:ff:ff')), true);
  assert.equal(isGroupMac(mac('01:00:5e:00:00:01')), true);
  assert.equal(isGroupMac(mac('02:00:5e:00:00:01')), false);
});

test('IPv4 is strict dotted decimal', () => {
  for (const text of [
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.4 ',
    '0x1.2.3.4',
    '１.2.3.4',
    '1.2.3.-4',
  ]) {
    assert.equal(parseIpv4(text), undefined, text);
  }
  assert.throws(() => ipv4('localhost'), RangeError);
});

test('IPv4 numbers round trip', () => {
  fc.assert(
    fc.property(fc.nat({ max: 0xffff_ffff }), (value) => {
      assert.equal(ipv4ToNumber(ipv4FromNumber(value)), value);
      assert.equal(parseIpv4(ipv4FromNumber(value)), ipv4FromNumber(value));
    }),
  );
});

test('recognises addresses that no host can have', () => {
  for (const text of ['0.0.0.0', '0.1.2.3', '127.0.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255']) {
    assert.equal(isHostAddress(ipv4(text)), false, text);
  }
  assert.equal(isHostAddress(ipv4('10.0.0.1')), true);
});

test('netmasks, prefixes and broadcast addresses', () => {
  for (let length = 0; length <= 32; length++) assert.equal(prefixLengthOf(netmaskOf(length)), length);
  assert.equal(netmaskOf(20), '255.255.240.0');
  assert.equal(prefixLengthOf(ipv4('255.0.255.0')), undefined);
  assert.equal(broadcastAddress(ipv4('192.168.77.9'), ipv4('255.255.255.0')), '192.168.77.255');
  assert.equal(broadcastAddress(ipv4('10.1.2.3'), ipv4('255.255.255.255')), '10.1.2.3');
});

test('the edges of a network are its lowest and its highest address, unless it has only two', () => {
  const numbers = fc.nat({ max: 0xffff_ffff });
  fc.assert(
    fc.property(numbers, fc.nat({ max: 32 }), fc.nat({ max: 3 }), (number, length, which) => {
      const [member, netmask] = [ipv4FromNumber(number), netmaskOf(length)];
      const edges = [networkAddress(member, netmask), broadcastAddress(member, netmask)];
      const near = edges.flatMap((edge) => [edge, ipv4FromNumber((ipv4ToNumber(edge) + 1) >>> 0)]);
      const address = near[which] ?? member;
      assert.equal(isNetworkEdge(address, member, netmask), length < 31 && edges.includes(address));
    }),
  );
  assert.equal(isNetworkEdge(ipv4('192.0.2.255'), ipv4('192.0.2.7'), ipv4('255.255.255.0')), true);
  assert.equal(isNetworkEdge(ipv4('192.0.2.255'), ipv4('192.0.3.7'), ipv4('255.255.255.0')), false);
  assert.equal(isNetworkEdge(ipv4('192.0.2.7'), ipv4('192.0.2.7'), ipv4('255.255.255.255')), false);
});

test('CIDR notation clears host bits and contains only its own addresses', () => {
  const network = parseIpv4Network('192.168.77.9/24')!;
  assert.deepEqual(network, { address: '192.168.77.0', prefixLength: 24 });
  assert.equal(networkContains(network, ipv4('192.168.77.255')), true);
  assert.equal(networkContains(network, ipv4('192.168.78.0')), false);
  assert.deepEqual(parseIpv4Network('0.0.0.0/0'), { address: '0.0.0.0', prefixLength: 0 });
  for (const text of ['1.2.3.4', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/024', '::/0', '/8']) {
    assert.equal(parseIpv4Network(text), undefined, text);
  }
});
