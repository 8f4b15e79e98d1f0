import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  clientAddressOf,
  formatIpAddress,
  isLoopback,
  networkHolds,
  parseIpAddress,
  parseIpNetwork,
  type IpNetwork,
} from './index.ts';

function networks(...texts: string[]): IpNetwork[] {
  return texts.map((text) => {
    const network = parseIpNetwork(text);
    assert.ok(network !== undefined, text);
    return network;
  });
}

function clientOf(peer: string, forwardedFor: string | null, trusted: readonly IpNetwork[]): string {
  const client = clientAddressOf({ peer, forwardedFor }, trusted);
  return client.ok ? `${formatIpAddress(client.address)} ${client.origin}` : 'error';
}

test('the client is the socket, or what trusted proxies saw, read from the right', () => {
  const proxies = networks('10.0.0.0/8', 'fd00::/8');
  const cases: [peer: string, forwardedFor: string | null, expected: string][] = [
    ['192.0.2.7', null, '192.0.2.7 socket'],
    ['10.0.0.1', null, '10.0.0.1 socket'],
    ['192.0.2.7', '192.0.2.9', '192.0.2.7 unproven'],
    ['10.0.0.1', '192.0.2.9', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', '127.0.0.1, 192.0.2.9', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', 'rubbish, 192.0.2.9,10.2.2.2', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', '10.0.0.5, 10.0.0.6', '10.0.0.5 trusted-proxy'],
    ['fd00::1', '2001:DB8:0::9', '2001:db8::9 trusted-proxy'],
    ['10.0.0.1', '192.0.2.9:40000', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', '[2001:db8::9]:40000', '2001:db8::9 trusted-proxy'],
    ['::ffff:10.0.0.1', '::ffff:192.0.2.9', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', 'unknown', 'error'],
    ['10.0.0.1', '', 'error'],
    ['10.0.0.1', '192.0.2.9,', 'error'],
    ['10.0.0.1', Array.from({ length: 33 }, () => '10.0.0.1').join(), 'error'],
    ['', null, 'error'],
    ['unix', null, 'error'],
  ];
  for (const [peer, forwardedFor, expected] of cases)
    assert.equal(clientOf(peer, forwardedFor, proxies), expected, `${peer} ${forwardedFor}`);
});

test('no header makes an untrusted peer somebody else', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.string(), (peer, header) => {
      const client = clientAddressOf({ peer, forwardedFor: header }, networks('fd00::/8'));
      assert.ok(client.ok && formatIpAddress(client.address) === peer);
    }),
  );
});

test('an address is read in every spelling and written in one', () => {
  const cases: [string, string | undefined][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.07', undefined],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['FE80::1%eth0', 'fe80::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['1:2:3:4:5:6:7', undefined],
    ['1:2:3:4:5:6:7:8:9', undefined],
    ['1:2:3:4:5:6:7:8::', undefined],
    ['1::2::3', undefined],
    [':1', undefined],
    ['12345::', undefined],
    ['::192.0.2', undefined],
    ['1.2.3.4.5', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases) {
    const address = parseIpAddress(text);
    assert.equal(address && formatIpAddress(address), expected, text);
  }
});

test('what is written is read back', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.bigInt(0n, (1n << 128n) - 1n).filter((value) => value >> 32n !== 0xffffn),
        fc.ipV6().map((text) => parseIpAddress(text)?.value ?? 0n),
        fc.nat(0xffff_ffff),
      ),
      (value) => {
        const address =
          typeof value === 'number' ? ({ bits: 32, value } as const) : ({ bits: 128, value } as const);
        assert.deepEqual(parseIpAddress(formatIpAddress(address)), address);
      },
    ),
  );
});

test('a network holds its own addresses of its own family', () => {
  const cases: [string, string, boolean][] = [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['224.0.0.0/4', '239.1.1.1', true],
    ['128.0.0.0/1', '127.0.0.1', false],
    ['fd00::/8', '253.0.0.1', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['fd00::/8', 'fdff::1', true],
    ['::1', '::2', false],
  ];
  for (const [network, candidate, expected] of cases) {
    const address = parseIpAddress(candidate);
    const [parsed] = networks(network);
    assert.equal(address && parsed && networkHolds(parsed, address), expected, `${network} ${candidate}`);
  }
  for (const text of ['', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', 'any', '10.0.0.0/-1'])
    assert.equal(parseIpNetwork(text), undefined, text);
});

test('loopback is 127/8 and ::1', () => {
  const loopback = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '128.0.0.1', '::', '::2'].filter(
    (text) => {
      const address = parseIpAddress(text);
      return address !== undefined && isLoopback(address);
    },
  );
  assert.deepEqual(loopback, ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']);
});
