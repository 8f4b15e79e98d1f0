import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatIpAddress,
  ipAddressBytes,
  ipNetwork,
  ipNetworkContains,
  ipv6FromBytes,
  ipv6ToBytes,
  isLoopback,
  parseIpAddress,
  parseIpNetwork,
  parseIpv6,
} from './index.ts';

test('addresses are written in the form of RFC 5952, and read in every form', () => {
  const rows: [string, string | undefined][] = [
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['fe80::', 'fe80::'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ...[
      '',
      ':',
      ':::',
      '1',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '12345::',
      'g::',
      'fe80::1%eth0',
      '::1.2.3',
      '1.2.3.4',
      '1::2:3:4:5:6:7:8',
    ].map((text): [string, undefined] => [text, undefined]),
  ];
  for (const [text, expected] of rows) assert.equal(parseIpv6(text), expected, text);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const text = ipv6FromBytes(bytes);
      assert.deepEqual(ipv6ToBytes(text), bytes);
      assert.equal(parseIpv6(text), text);
      assert.equal(new URL(`http://[${text}]/`).hostname, `[${text}]`, 'as another implementation writes it');
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

test('a written address reads back the same', () => {
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
    assert.equal(
      address && ipNetworkContains(ipNetwork(network), address),
      expected,
      `${network} ${candidate}`,
    );
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

test('the bytes of an address are those of its family', () => {
  const bytes = (text: string): Uint8Array => ipAddressBytes(parseIpAddress(text)!);
  assert.deepEqual(bytes('192.0.2.7'), Uint8Array.of(192, 0, 2, 7));
  assert.deepEqual(bytes('::ffff:0.0.2.7'), Uint8Array.of(0, 0, 2, 7));
  assert.deepEqual(bytes('2001:db8::1'), Uint8Array.of(0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 1));
});
