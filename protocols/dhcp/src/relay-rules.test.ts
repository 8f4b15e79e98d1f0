import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hexToBytes, ipv4 } from '@tinkerbell/wire';
import {
  decodePacket,
  emptyPacket,
  encodePacket,
  messageType,
  relayReply,
  relayRequest,
  type DhcpOptions,
  type DhcpPacket,
  type RelayInformationSettings,
  type RelaySettings,
} from './index.ts';
import { relayAgentOption } from './relay-agent.ts';

const ANY = ipv4('0.0.0.0');
const RACK = { name: 'rack0', address: ipv4('192.0.2.1') };
const LAB = { name: 'lab1', address: ipv4('198.51.100.1') };
const interfaces = [RACK, LAB];
const PLAIN: RelaySettings = { hopsMax: 16 };
const INFORMATION: RelayInformationSettings = {
  linkSelection: false,
  serverIdentifierOverride: false,
  ofOtherRelays: 'forward',
  trustsClients: false,
};
const informed = (change: Partial<RelayInformationSettings> = {}): RelaySettings => ({
  hopsMax: 16,
  information: { ...INFORMATION, ...change },
});
const option82 = (hex: string) => {
  const decoded = relayAgentOption.decode(hexToBytes(hex)!);
  assert.ok(decoded);
  return { relayAgentInformation: decoded };
};
/** Sub-option 1 `rack0`. */
const RACK_CIRCUIT = '01 05 7261636b30';

function packet(options: DhcpOptions, header: Partial<DhcpPacket> = {}): DhcpPacket {
  return {
    ...emptyPacket,
    transactionId: 9,
    hardwareAddress: hexToBytes('02005e100001 00000000000000000000')!,
    options,
    ...header,
  };
}

function bytesOf(value: DhcpPacket): Uint8Array {
  const encoded = encodePacket(value);
  assert.ok(encoded.ok);
  return encoded.bytes;
}

function read(bytes: Uint8Array): DhcpPacket {
  const decoded = decodePacket(bytes);
  assert.ok(decoded.ok);
  return decoded.value;
}

function ask(value: DhcpPacket, settings: RelaySettings, arrival: typeof RACK | undefined = RACK) {
  const message = { bytes: bytesOf(value), packet: value };
  const decision = relayRequest({
    message,
    interfaces,
    settings,
    ...(arrival === undefined ? {} : { arrival }),
  });
  return decision.kind === 'drop' ? decision.reason : read(decision.bytes);
}

function deliver(value: DhcpPacket, settings: RelaySettings) {
  const message = { bytes: bytesOf(value), packet: value };
  return relayReply({ message, interfaces, settings });
}

const DISCOVER: DhcpOptions = { messageType: messageType.discover };

test("a client's packet gets giaddr and one more hop, and nothing else changes", () => {
  const request = packet(DISCOVER, { broadcast: true, secondsElapsed: 7 });
  const forwarded = ask(request, PLAIN);
  assert.deepEqual(forwarded, { ...request, hops: 1, giaddr: RACK.address });
});

test('bytes that no reader knows are forwarded: broken options, inner padding, reserved flags, text that is not UTF-8', () => {
  const bytes = bytesOf(packet(DISCOVER));
  bytes[11] = 0x55; // reserved bits of flags
  bytes[50] = 0xff; // sname
  const strange = hexToBytes('35 01 01 00 00 32 03 010203 52 02 0900 fe 00 ff')!; // 53, two PAD, a short 50, 82, 254 empty
  bytes.set(strange, 240);
  const decoded = decodePacket(bytes);
  assert.ok(decoded.ok);
  const settings = informed({ trustsClients: true });
  const kept = relayRequest({
    message: { bytes, packet: decoded.value },
    arrival: RACK,
    interfaces,
    settings,
  });
  assert.ok(kept.kind === 'forward');
  const expected = bytes.slice();
  expected[3] = 1;
  expected.set([192, 0, 2, 1], 24);
  assert.deepEqual(kept.bytes, expected);
});

test('option 82 is last and has the circuit id, and if configured remote id, link selection and server identifier override', () => {
  assert.deepEqual(ask(packet(DISCOVER), informed()), {
    ...packet({ ...DISCOVER, ...option82(RACK_CIRCUIT) }),
    hops: 1,
    giaddr: RACK.address,
  });
  const all = informed({
    remoteId: Uint8Array.of(0xaa, 0xbb),
    linkSelection: true,
    serverIdentifierOverride: true,
  });
  const message = packet(DISCOVER);
  const decision = relayRequest({
    message: { bytes: bytesOf(message), packet: message },
    arrival: RACK,
    interfaces,
    settings: { ...all, relayAddress: ipv4('203.0.113.9') },
  });
  assert.ok(decision.kind === 'forward');
  assert.equal(read(decision.bytes).giaddr, '203.0.113.9');
  // 53, then 82: circuit id, remote id aabb, link selection and override 192.0.2.1, END
  const expected = `35 01 01 52 17 ${RACK_CIRCUIT} 02 02 aabb 05 04 c0000201 0b 04 c0000201 ff`;
  assert.deepEqual(decision.bytes.subarray(240, 240 + 29), hexToBytes(expected));
});

test('every reason to drop a request', () => {
  const theirs = option82('01 01 78');
  const rows: [string, ReturnType<typeof ask>][] = [
    ['too-many-hops', ask(packet(DISCOVER, { hops: 16 }), PLAIN)],
    ['too-many-hops', ask(packet(DISCOVER, { hops: 4 }), { hopsMax: 4 })],
    ['too-many-hops', ask(packet(DISCOVER, { hops: 16 }), { hopsMax: 255 })],
    ['giaddr-is-ours', ask(packet(DISCOVER, { giaddr: RACK.address }), PLAIN)],
    ['giaddr-is-ours', ask(packet(DISCOVER, { giaddr: LAB.address }), PLAIN)],
    [
      'giaddr-is-ours',
      ask(packet(DISCOVER, { giaddr: ipv4('203.0.113.9') }), {
        hopsMax: 16,
        relayAddress: ipv4('203.0.113.9'),
      }),
    ],
    ['giaddr-invalid', ask(packet(DISCOVER, { giaddr: ipv4('127.0.0.1') }), PLAIN)],
    ['giaddr-invalid', ask(packet(DISCOVER, { giaddr: ipv4('255.255.255.255') }), PLAIN)],
    ['information-from-client', ask(packet({ ...DISCOVER, ...theirs }), informed())],
    [
      'information-from-relay',
      ask(
        packet({ ...DISCOVER, ...theirs }, { giaddr: ipv4('10.0.0.1') }),
        informed({ ofOtherRelays: 'discard' }),
      ),
    ],
  ];
  for (const [reason, decision] of rows) assert.equal(decision, reason);
  const message = packet(DISCOVER);
  const elsewhere = relayRequest({
    message: { bytes: bytesOf(message), packet: message },
    interfaces,
    settings: PLAIN,
  });
  assert.equal(elsewhere.kind === 'drop' ? elsewhere.reason : '', 'not-from-a-client-network');
});

test('a packet from another relay keeps its giaddr, and its option 82 as configured', () => {
  const giaddr = ipv4('10.0.0.1');
  const theirs = '01 01 78';
  const request = packet({ ...DISCOVER, ...option82(theirs) }, { giaddr, hops: 3 });
  const informationAfter = (settings: RelaySettings) => {
    const forwarded = ask(request, settings);
    assert.ok(typeof forwarded !== 'string');
    assert.deepEqual([forwarded.giaddr, forwarded.hops], [giaddr, 4]);
    return forwarded.options;
  };
  const options = (hex: string) => ({ ...DISCOVER, ...option82(hex) });
  assert.deepEqual(informationAfter(PLAIN), options(theirs));
  assert.deepEqual(informationAfter(informed()), options(theirs));
  assert.deepEqual(informationAfter(informed({ ofOtherRelays: 'append' })), options(theirs + RACK_CIRCUIT));
  assert.deepEqual(informationAfter(informed({ ofOtherRelays: 'replace' })), options(RACK_CIRCUIT));
  const without = ask(packet(DISCOVER, { giaddr }), informed({ ofOtherRelays: 'append' }));
  assert.ok(typeof without !== 'string');
  assert.deepEqual(without.options, DISCOVER, 'none is added (RFC 3046 section 2.1.1)');
});

test('a packet that would exceed the MTU is sent without option 82', () => {
  const filler = Uint8Array.from({ length: 200 }, () => 7);
  const other = Array.from({ length: 6 }, (_, index) => ({ code: 224 + index, bytes: filler }));
  const value = packet({ ...DISCOVER, other });
  const encoded = encodePacket(value, { maximumMessageBytes: 1_500 });
  assert.ok(encoded.ok);
  const settings = informed({ remoteId: new Uint8Array(100) });
  const decide = (bytes: Uint8Array) =>
    relayRequest({ message: { bytes, packet: read(bytes) }, arrival: RACK, interfaces, settings });
  const decision = decide(encoded.bytes);
  assert.ok(decision.kind === 'forward' && decision.isInformationMissing);
  assert.equal(decision.bytes.length, encoded.bytes.length);
  assert.equal(read(decision.bytes).giaddr, RACK.address);
  const short = decide(bytesOf(packet(DISCOVER)));
  assert.ok(short.kind === 'forward' && !short.isInformationMissing);
});

const reply = (header: Partial<DhcpPacket>, options: DhcpOptions = {}) =>
  packet({ messageType: messageType.offer, ...options }, { op: 'reply', giaddr: RACK.address, ...header });

test('a reply is sent on the network interface of its giaddr (RFC 2131 section 4.1), without our option 82', () => {
  const yiaddr = ipv4('192.0.2.50');
  const mac = '02:00:5e:10:00:01';
  const everybody = { kind: 'broadcast', address: '255.255.255.255', port: 68 };
  const frame = { kind: 'link-layer', address: yiaddr, port: 68, hardwareAddress: mac };
  const rows: [DhcpPacket, object][] = [
    [reply({ yiaddr, broadcast: true }), everybody],
    [reply({ yiaddr }), frame],
    [reply({ yiaddr, ciaddr: yiaddr, broadcast: true }), { kind: 'unicast', address: yiaddr, port: 68 }],
    [reply({}), everybody],
    [reply({ yiaddr, hardwareType: 32, hardwareLength: 0 }), everybody],
    [reply({ broadcast: false }, { messageType: messageType.refuse }), everybody],
  ];
  for (const [value, destination] of rows) {
    const informedReply = { ...value, options: { ...value.options, ...option82(RACK_CIRCUIT) } };
    const decision = deliver(informedReply, informed());
    assert.ok(decision.kind === 'deliver');
    assert.equal(decision.networkInterface, 'rack0');
    assert.deepEqual(decision.destination, destination);
    assert.deepEqual(read(decision.bytes), value);
  }
});

test('another relay’s option 82 stays in the reply', () => {
  const theirs = reply({}, option82('01 01 78'));
  for (const settings of [PLAIN, informed()]) {
    const decision = deliver(theirs, settings);
    assert.ok(decision.kind === 'deliver');
    assert.deepEqual(read(decision.bytes), theirs);
  }
});

test('with a relay address, the circuit id names the network interface of the reply', () => {
  const relayAddress = ipv4('203.0.113.9');
  const settings = { ...informed({ linkSelection: true }), relayAddress };
  const back = deliver(reply({ giaddr: relayAddress }, option82('01 04 6c616231')), settings);
  assert.ok(back.kind === 'deliver');
  assert.equal(back.networkInterface, 'lab1');
  assert.equal(read(back.bytes).options.relayAgentInformation, undefined);
  for (const options of [{}, option82('01 01 78'), option82('01 01 ff'), option82('02 04 6c616231')]) {
    const decision = deliver(reply({ giaddr: relayAddress }, options), settings);
    assert.equal(decision.kind === 'drop' ? decision.reason : '', 'circuit-unknown');
  }
});

test('replies for another network are dropped', () => {
  for (const giaddr of [ANY, ipv4('10.0.0.1')]) {
    const decision = deliver(reply({ giaddr }), informed());
    assert.equal(decision.kind === 'drop' ? decision.reason : '', 'not-for-a-client-network');
  }
});

test('any valid packet can be relayed, and the result is valid', () => {
  const options = fc.uint8Array({ maxLength: 60 });
  const settings = fc.constantFrom(
    PLAIN,
    informed(),
    informed({ trustsClients: true, ofOtherRelays: 'append' }),
  );
  fc.assert(
    fc.property(options, settings, fc.boolean(), (tail, settings, isRelayed) => {
      const bytes = bytesOf(packet({}, isRelayed ? { giaddr: ipv4('10.0.0.1') } : {}));
      bytes.set(tail, 240);
      const decoded = decodePacket(bytes);
      if (!decoded.ok) return;
      const message = { bytes, packet: decoded.value };
      const decision = relayRequest({ message, arrival: RACK, interfaces, settings });
      if (decision.kind === 'forward') assert.ok(decodePacket(decision.bytes).ok);
      assert.ok(relayReply({ message, interfaces, settings }).kind);
    }),
    { numRuns: 3_000 },
  );
});
