import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bytesToHex, hexToBytes, ipv4, ipv4FromNumber } from '@tinkerbell/wire';
import { decodePacket, encodePacket, type DhcpOptions, type DhcpPacket } from './index.ts';

const ZERO = ipv4('0.0.0.0');

function offer(options: DhcpOptions, header: Partial<DhcpPacket> = {}): DhcpPacket {
  return {
    op: 'reply',
    hardwareType: 1,
    hardwareLength: 6,
    hops: 0,
    transactionId: 0x11223344,
    secondsElapsed: 0,
    broadcast: true,
    ciaddr: ZERO,
    yiaddr: ipv4('192.168.77.10'),
    siaddr: ipv4('192.168.77.1'),
    giaddr: ZERO,
    hardwareAddress: hexToBytes('02005e100001 00000000000000000000')!,
    serverName: '',
    bootFile: '',
    options,
    ...header,
  };
}

function write(packet: DhcpPacket, maximumMessageBytes?: number) {
  const result = encodePacket(packet, maximumMessageBytes === undefined ? {} : { maximumMessageBytes });
  assert.equal(result.ok, true, JSON.stringify(result));
  return result;
}

function readBack(bytes: Uint8Array): DhcpPacket {
  const result = decodePacket(bytes);
  assert.equal(result.ok, true, JSON.stringify(result));
  return (result as { value: DhcpPacket }).value;
}

test('writes an offer byte for byte', () => {
  const { bytes } = write(
    offer(
      {
        serverIdentifier: ipv4('192.168.77.1'),
        messageType: 2,
        subnetMask: ipv4('255.255.255.0'),
        leaseTimeSeconds: 604_800,
      },
      { bootFile: 'ipxe.efi' },
    ),
  );
  const expected = [
    '02 01 06 00', // op: reply, htype: Ethernet, hlen, hops
    '11223344', // xid
    '0000 8000', // secs, flags: broadcast
    '00000000', // ciaddr
    'c0a84d0a', // yiaddr
    'c0a84d01', // siaddr
    '00000000', // giaddr
    '02005e100001 00000000000000000000', // chaddr
    '00'.repeat(64), // sname
    '697078652e656669' + '00'.repeat(120), // file: ipxe.efi
    '63825363', // magic cookie
    '35 01 02', // message type: offer
    '36 04 c0a84d01', // server identifier
    '33 04 00093a80', // lease time
    '01 04 ffffff00', // subnet mask
    'ff', // END
    '00'.repeat(38), // padding up to 300 bytes
  ]
    .join('')
    .replaceAll(' ', '');
  assert.equal(bytesToHex(bytes), expected);
  assert.equal(bytes.length, 300);
});

test('relay agent information is unchanged and the last option', () => {
  const relay = hexToBytes('0102aabb 9903010203')!;
  const { bytes } = write(
    offer({
      relayAgentInformation: { bytes: relay, subOptions: [] },
      messageType: 2,
      domainSearch: ['a.b'],
      ipxe: [{ code: 176, bytes: Uint8Array.of(1) }],
    }),
  );
  assert.match(bytesToHex(bytes), /52090102aabb9903010203ff0*$/);
});

test('a value above 255 bytes is split, and joined again when read', () => {
  const bootFileName = 'http://192.0.2.1/'.padEnd(300, 'x');
  const { bytes } = write(offer({ bootFileName }), 1500);
  assert.match(bytesToHex(bytes), /43ff(?:..){255}432d/);
  assert.equal(readBack(bytes).options.bootFileName, bootFileName);
});

test('options beyond 548 bytes move to file, then sname, and the message type stays first', () => {
  const options: DhcpOptions = {
    messageType: 2,
    hostName: 'h'.repeat(200),
    domainName: 'd'.repeat(120),
    rootPath: 'r'.repeat(50),
    message: 'm'.repeat(45),
  };
  const { bytes, droppedOptions } = write(offer(options));
  assert.ok(bytes.length <= 548, `${bytes.length}`);
  assert.deepEqual(droppedOptions, []);
  assert.deepEqual(readBack(bytes).options, options);
  assert.equal(bytesToHex(bytes.subarray(240, 243)), '350102');
});

test("the client's maximum message size is never exceeded, and dropped options are reported", () => {
  const options: DhcpOptions = {
    messageType: 2,
    serverIdentifier: ipv4('10.0.0.1'),
    bootFileName: 'b'.repeat(200),
    hostName: 'h'.repeat(200),
    domainName: 'd'.repeat(200),
  };
  const small = write(offer(options, { bootFile: 'x', serverName: 'y' }), 300);
  assert.ok(small.bytes.length <= 548);
  assert.deepEqual(small.droppedOptions, [12, 15]);
  assert.equal(readBack(small.bytes).options.bootFileName, 'b'.repeat(200));
  assert.deepEqual(write(offer(options), 1500).droppedOptions, []);
});

test('relay agent information stays last when other options overload', () => {
  const relay = new Uint8Array(100).fill(7);
  const { bytes } = write(
    offer({
      messageType: 5,
      hostName: 'h'.repeat(120),
      domainName: 'd'.repeat(110),
      relayAgentInformation: { bytes: relay, subOptions: [] },
    }),
  );
  assert.match(bytesToHex(bytes), new RegExp(`3401015264${'07'.repeat(100)}ff0*$`));
  assert.equal(readBack(bytes).options.hostName, 'h'.repeat(120));
});

test('header texts that do not fit are an error value, and are not truncated', () => {
  assert.equal(write(offer({}, { bootFile: 'f'.repeat(127), serverName: 's'.repeat(63) })).ok, true);
  const result = encodePacket(offer({}, { bootFile: 'f'.repeat(128) }));
  assert.deepEqual(result.ok ? '' : result.error, {
    code: 'too-long',
    field: 'bootFile',
    message: 'bootFile has 128 bytes, at most 127 fit',
  });
  assert.equal(encodePacket(offer({}, { serverName: 'é'.repeat(32) })).ok, false);
});

function codesOf(bytes: Uint8Array): number[] {
  const codes: number[] = [];
  for (let at = 240; bytes[at] !== 255; at += 2 + bytes[at + 1]!) codes.push(bytes[at]!);
  return codes;
}

test('requested options come first and in the requested order, and relay agent information last', () => {
  const packet = offer({
    subnetMask: ipv4('255.255.255.0'),
    routers: [ipv4('10.0.0.1')],
    hostName: 'h',
    leaseTimeSeconds: 60,
    messageType: 2,
    serverIdentifier: ipv4('10.0.0.1'),
    relayAgentInformation: { bytes: Uint8Array.of(1, 1, 1), subOptions: [] },
    domainSearch: ['a.b'],
  });
  const codes = (requestedOptions: number[]) => {
    const encoded = encodePacket(packet, { requestedOptions });
    assert.ok(encoded.ok);
    return codesOf(encoded.bytes);
  };
  assert.deepEqual(codes([]), [53, 54, 51, 1, 3, 12, 119, 82]);
  assert.deepEqual(codes([82, 119, 3, 119, 42, 51, 1]), [53, 54, 51, 119, 3, 1, 12, 82]);
  assert.deepEqual(codes(Array.from({ length: 255 }, (_, at) => 255 - at)), [53, 54, 51, 119, 12, 3, 1, 82]);
});

test('requested options are kept when there is no room for everything', () => {
  const packet = offer(
    { messageType: 2, bootFileName: 'b'.repeat(200), hostName: 'h'.repeat(200), domainName: 'd'.repeat(200) },
    { bootFile: 'x', serverName: 'y' },
  );
  const dropped = (requestedOptions: number[]) => {
    const encoded = encodePacket(packet, { requestedOptions });
    assert.ok(encoded.ok);
    return encoded.droppedOptions;
  };
  assert.deepEqual(dropped([]), [12, 15]);
  assert.deepEqual(dropped([15]), [67, 12]);
});

test('empty values are omitted, except the machine identifier', () => {
  const { bytes } = write(offer({ hostName: '', routers: [], clientMachineIdentifier: new Uint8Array() }));
  assert.equal(bytesToHex(bytes.subarray(240, 243)), '6100ff');
});

/** Records have the prototype of literals, because deepEqual distinguishes the two. */
function plain<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const address = fc.nat({ max: 0xffff_ffff }).map(ipv4FromNumber);
const addresses = fc.array(address, { minLength: 1, maxLength: 5 });
const text = fc.string({ minLength: 1, maxLength: 40 }).filter((value) => !value.includes('\0'));
const subOptions = fc.array(
  plain({ code: fc.integer({ min: 1, max: 254 }), bytes: fc.uint8Array({ maxLength: 12 }) }),
  { minLength: 1, maxLength: 4 },
);
const label = fc.stringMatching(/^[a-z]{1,8}$/);
const options: fc.Arbitrary<DhcpOptions> = fc.record(
  {
    subnetMask: address,
    routers: addresses,
    domainNameServers: addresses,
    hostName: text,
    domainName: text,
    vendorSpecific: subOptions,
    requestedAddress: address,
    leaseTimeSeconds: fc.nat({ max: 0xffff_ffff }),
    messageType: fc.integer({ min: 0, max: 255 }),
    serverIdentifier: address,
    parameterRequestList: fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 30 }),
    maximumMessageBytes: fc.nat({ max: 0xffff }),
    vendorClassIdentifier: text,
    clientIdentifier: fc.uint8Array({ minLength: 2, maxLength: 20 }),
    bootFileName: text,
    userClass: plain({
      classes: fc.array(text, { minLength: 1, maxLength: 3 }),
      lengthPrefixed: fc.constant(true),
    }),
    clientArchitectures: fc.array(fc.nat({ max: 0xffff }), { minLength: 1, maxLength: 4 }),
    clientNetworkInterface: plain({
      type: fc.nat({ max: 255 }),
      major: fc.nat({ max: 255 }),
      minor: fc.nat({ max: 255 }),
    }),
    clientMachineIdentifier: fc.uint8Array({ maxLength: 17 }),
    domainSearch: fc.array(
      fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
      { minLength: 1, maxLength: 4 },
    ),
    classlessRoutes: fc.array(
      plain({ prefixLength: fc.constantFrom(0, 8, 16, 24, 32), router: address }).map(
        ({ prefixLength, router }) => ({
          destination: ipv4FromNumber(
            prefixLength === 0 ? 0 : (0x0a0b_0c0d & (0xffff_ffff << (32 - prefixLength))) >>> 0,
          ),
          prefixLength,
          router,
        }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    ipxe: subOptions,
    other: fc
      .uniqueArray(
        plain({ code: fc.integer({ min: 200, max: 254 }), bytes: fc.uint8Array({ maxLength: 300 }) }),
        { selector: ({ code }) => code, minLength: 1, maxLength: 3 },
      )
      .map((values) => values.sort((left, right) => left.code - right.code)),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test('every written packet reads back the same', () => {
  fc.assert(
    fc.property(options, fc.boolean(), address, (options, broadcast, giaddr) => {
      const packet = offer(options, { broadcast, giaddr });
      const { bytes, droppedOptions } = write(packet, 4096);
      assert.deepEqual(droppedOptions, []);
      assert.ok(bytes.length >= 300);
      assert.deepEqual(readBack(bytes), packet);
    }),
    { numRuns: 500 },
  );
});

test("no packet exceeds the client's limit, and everything that was not dropped is read back", () => {
  fc.assert(
    fc.property(options, fc.integer({ min: 0, max: 1500 }), (options, limit) => {
      const { bytes, droppedOptions } = write(offer(options), limit);
      assert.ok(bytes.length <= Math.max(576, limit) - 28);
      const back = readBack(bytes).options;
      const names = Object.keys(options).length + (options.other?.length ?? 1) - 1;
      const backNames = Object.keys(back).length + (back.other?.length ?? 1) - 1;
      assert.equal(backNames, names - droppedOptions.length);
    }),
    { numRuns: 500 },
  );
});
