import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hexToBytes, mac, parseIpv6 } from '@tinkerbell/wire';
import {
  decodeMessage,
  duidOfMac,
  encodeMessage,
  macOfDuid,
  macOfLinkLocal,
  messageType,
  unwrapRelays,
  wrapForRelays,
  type Dhcpv6Message,
  type Dhcpv6Options,
} from './index.ts';

const hex = (text: string) => hexToBytes(text)!;
const address = (text: string) => parseIpv6(text)!;

function read(bytes: Uint8Array): Dhcpv6Message {
  const result = decodeMessage(bytes);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

/** Every typed option with its bytes, and a comment per field. */
const vectors: [string, Dhcpv6Options][] = [
  ['0001 000a 0003 0001 02005e100001', { clientIdentifier: hex('0003 0001 02005e100001') }],
  ['0002 0004 0002 0000', { serverIdentifier: hex('00020000') }],
  [
    // IA_NA, 40 + 8 bytes: id 1, T1 2, T2 3; option 5 with 24 bytes: 2001:db8::7, 4, 5; option 13 with 4: 2, "no"
    '0003 0030 00000001 00000002 00000003 0005 0018 20010db8000000000000000000000007 00000004 00000005 000d 0004 0002 6e6f',
    {
      identityAssociations: [
        {
          id: 1,
          renewalTimeSeconds: 2,
          rebindingTimeSeconds: 3,
          addresses: [
            { address: address('2001:db8::7'), preferredLifetimeSeconds: 4, validLifetimeSeconds: 5 },
          ],
          status: { code: 2, message: 'no' },
        },
      ],
    },
  ],
  ['0006 0004 0017 003b', { optionRequest: [23, 59] }],
  ['0007 0001 ff', { preference: 255 }],
  ['0008 0002 0064', { elapsedHundredths: 100 }],
  ['000d 0004 0000 6f6b', { status: { code: 0, message: 'ok' } }],
  ['000e 0000', { rapidCommit: true }],
  ['000f 0006 0004 69505845', { userClass: [hex('69505845')] }],
  // enterprise 343, one value of ten bytes: HTTPClient
  [
    '0010 0010 00000157 000a 48545450436c69656e74',
    { vendorClass: { enterprise: 343, data: [hex('48545450436c69656e74')] } },
  ],
  ['0012 0002 6531', { interfaceIdentifier: hex('6531') }],
  ['0017 0010 20010db8000000000000000000000053', { nameServers: [address('2001:db8::53')] }],
  ['0018 0009 026c62 0474657374 00', { domainSearch: ['lb.test'] }],
  ['0020 0004 00015180', { informationRefreshTimeSeconds: 86_400 }],
  ['0027 0003 01 0161', { clientName: hex('010161') }],
  ['003b 0008 687474703a2f2f78', { bootFileUrl: 'http://x' }],
  ['003c 0006 0001 61 0001 62', { bootFileParameters: ['a', 'b'] }],
  ['003d 0004 0010 0007', { clientArchitectures: [16, 7] }],
  ['003e 0003 01 03 10', { clientNetworkInterface: { type: 1, major: 3, minor: 16 } }],
  [
    '004f 0008 0001 02005e100001',
    { clientLinkLayerAddress: { hardwareType: 1, address: hex('02005e100001') } },
  ],
  ['0052 0004 00000e10', { solicitTimeoutMaxSeconds: 3_600 }],
  ['00ff 0001 07', { other: [{ code: 255, bytes: hex('07') }] }],
];

test('every option reads from its bytes and writes them again', () => {
  for (const [bytes, options] of vectors) {
    const message = hex(`0b 010203 ${bytes}`);
    const expected = { type: messageType.informationRequest, transactionId: 0x010203, options };
    assert.deepEqual(read(message), expected, bytes);
    assert.deepEqual(encodeMessage(expected), message, bytes);
  }
});

test('malformed and repeated options stay raw, and do not affect the others', () => {
  for (const bytes of [
    '0001 0001 00',
    '0003 0003 000000',
    '0006 0003 001700',
    '000e 0001 00',
    '0010 0004 00000157',
    '0010 0002 0000',
    '0017 0002 2001',
    '0018 0002 40 00',
    '0018 0001 00',
    '003b 0000',
    '003b 0001 ff',
    '003c 0003 0005 61',
    '003e 0002 0103',
  ]) {
    const { options } = read(hex(`01 000001 ${bytes} 0007 0001 05`));
    assert.equal(options.preference, 5, bytes);
    assert.equal(options.other?.length, 1, bytes);
  }
  const { options } = read(hex('01 000001 0007 0001 05 0007 0001 06'));
  assert.deepEqual(options, { preference: 5, other: [{ code: 7, bytes: hex('06') }] });
});

test('a truncated message fails with offset and field', () => {
  const whole = hex('01 000001 0007 0001 05');
  for (let length = 0; length < whole.length; length++) {
    const result = decodeMessage(whole.subarray(0, length));
    if (length === 4) assert.ok(result.ok);
    else assert.equal(result.ok ? '' : result.error.code, 'truncated', String(length));
  }
  const tooLong = decodeMessage(new Uint8Array(5_000));
  assert.equal(tooLong.ok ? '' : tooLong.error.code, 'too-long');
  const envelope = decodeMessage(hex('0c 00'));
  assert.equal(envelope.ok ? '' : envelope.error.code, 'in-an-envelope');
});

test("relays' envelopes are opened from the outside, and the answer is returned in the same ones", () => {
  const link = '20010db8000000000000000000000001';
  const peer = 'fe80000000000000000000000000000a';
  const question = '0b 000001';
  // hop 0, with interface id "e1"; inside of hop 1 without one
  const inner = `0c 00 ${link} ${peer} 0012 0002 6531 0009 0004 ${question}`;
  const outer = `0c 01 ${'00'.repeat(16)} ${link} 0009 ${(34 + 6 + 8).toString(16).padStart(4, '0')} ${inner}`;
  const result = unwrapRelays(hex(outer));
  assert.ok(result.ok);
  const { envelopes, bytes } = result.value;
  assert.deepEqual(bytes, hex(question));
  assert.deepEqual(
    envelopes.map(({ hops, linkAddress, peerAddress, options }) => [hops, linkAddress, peerAddress, options]),
    [
      [1, '::', '2001:db8::1', {}],
      [0, '2001:db8::1', 'fe80::a', { interfaceIdentifier: hex('6531') }],
    ],
  );
  const answered = wrapForRelays(envelopes, hex('07 000001'));
  // hop 1 outside, then hop 0 inside, each as Relay-reply; options ascending, so 9 before 18
  const answerInside = `0d 00 ${link} ${peer} 0009 0004 07000001 0012 0002 6531`;
  const answerOutside = `0d 01 ${'00'.repeat(16)} ${link} 0009 0030 ${answerInside}`;
  assert.deepEqual(answered, hex(answerOutside));
});

test('envelopes that are empty, truncated or nested too deep fail', () => {
  const header = `0c 00 ${'00'.repeat(32)}`;
  const codeOf = (bytes: Uint8Array) => {
    const result = unwrapRelays(bytes);
    return result.ok ? 'ok' : result.error.code;
  };
  assert.equal(codeOf(hex(header)), 'no-message');
  assert.equal(codeOf(hex('0c 00 00')), 'truncated');
  let nested = hex('0b 000001');
  for (let depth = 1; depth <= 9; depth++) {
    const length = nested.length.toString(16).padStart(4, '0');
    nested = Uint8Array.of(...hex(`${header} 0009 ${length}`), ...nested);
    assert.equal(codeOf(nested), depth <= 8 ? 'ok' : 'too-many-relays');
  }
});

test('a MAC is read from DUID-LL, DUID-LLT and link-local addresses, and from nothing else', () => {
  const client = mac('02:00:5e:10:00:01');
  assert.equal(macOfDuid(duidOfMac(client)), client);
  assert.equal(macOfDuid(hex('0001 0001 12345678 02005e100001')), client);
  for (const other of [
    '',
    '0003',
    '0003 0001 02005e1000',
    '0003 0020 02005e100001',
    '0002 0000 0001 02005e100001',
    '0003 0001 02005e10000100',
  ]) {
    assert.equal(macOfDuid(hex(other)), undefined, other);
  }
  assert.equal(macOfLinkLocal(address('fe80::5eff:fe10:1')), client);
  for (const other of ['fe80::1', '2001:db8::5eff:fe10:1', '::', 'fe80::a1b2:c3d4:e5f6:789']) {
    assert.equal(macOfLinkLocal(address(other)), undefined, other);
  }
});

test('random bytes never throw, and a decoded message reads the same after encoding', () => {
  const message = fc.uint8Array({ maxLength: 120 });
  const options = fc
    .array(
      fc.tuple(
        fc.constantFrom(1, 2, 3, 5, 6, 9, 13, 15, 16, 18, 23, 24, 59, 60, 61, 62, 79),
        fc.uint8Array({ maxLength: 40 }),
      ),
      { maxLength: 6 },
    )
    .map((list) =>
      Uint8Array.of(1, 0, 0, 1, ...list.flatMap(([code, bytes]) => [0, code, 0, bytes.length, ...bytes])),
    );
  fc.assert(
    fc.property(fc.oneof(message, options), (bytes) => {
      unwrapRelays(bytes);
      const first = decodeMessage(bytes);
      if (!first.ok) return;
      const second = decodeMessage(encodeMessage(first.value));
      assert.deepEqual(second, first);
    }),
    { numRuns: 5_000 },
  );
});
