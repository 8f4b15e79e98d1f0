import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hexToBytes } from '@tinkerbell/wire';
import { clientMacOf, decodePacket, machineUuidOf, malformedOptionsOf, type DhcpPacket } from './index.ts';

/** Reads a capture: hexadecimal, one field per line, a comment after `#`. */
function capture(name: string): Uint8Array {
  const text = readFileSync(new URL(`../testdata/${name}.hex`, import.meta.url), 'utf8');
  return hexToBytes(text.replaceAll(/#.*/g, ''))!;
}

/** A minimal Ethernet DISCOVER whose options field is `options` (hexadecimal, END not added). */
function packetWith(
  options: string,
  header: { sname?: string; file?: string; patch?: Record<number, number> } = {},
) {
  const bytes = hexToBytes(
    [
      '01 01 06 00', // op, htype, hlen, hops
      '11223344', // xid
      '0005 8000', // secs, flags: broadcast
      '00000000 00000000 00000000 00000000', // ciaddr, yiaddr, siaddr, giaddr
      '02005e100001 00000000000000000000', // chaddr
      (header.sname ?? '').replaceAll(' ', '').padEnd(128, '0'),
      (header.file ?? '').replaceAll(' ', '').padEnd(256, '0'),
      '63825363', // magic cookie
      options,
    ].join(''),
  )!;
  for (const [at, value] of Object.entries(header.patch ?? {})) bytes[Number(at)] = value;
  return bytes;
}

function read(bytes: Uint8Array): DhcpPacket {
  const result = decodePacket(bytes);
  assert.equal(result.ok, true, JSON.stringify(result));
  return (result as { value: DhcpPacket }).value;
}

function failure(bytes: Uint8Array): string {
  const result = decodePacket(bytes);
  return result.ok ? 'no failure' : `${result.error.code} ${result.error.field} ${result.error.offset}`;
}

test('reads what the iPXE option ROM of QEMU sends', () => {
  const packet = read(capture('ipxe-bios-discover'));
  assert.equal(clientMacOf(packet), '52:54:00:12:34:56');
  assert.equal(packet.secondsElapsed, 4);
  assert.equal(packet.broadcast, false);
  assert.equal(packet.options.messageType, 1);
  assert.equal(packet.options.maximumMessageBytes, 1472);
  assert.deepEqual(packet.options.clientArchitectures, [0]);
  assert.deepEqual(packet.options.clientNetworkInterface, { type: 1, major: 2, minor: 1 });
  assert.equal(packet.options.vendorClassIdentifier, 'PXEClient:Arch:00000:UNDI:002001');
  assert.deepEqual(packet.options.userClass, { classes: ['iPXE'], lengthPrefixed: false });
  const version = packet.options.ipxe?.find(({ code }) => code === 235);
  assert.deepEqual([...version!.bytes], [1, 0, 0]);
  assert.equal(
    machineUuidOf(packet.options.clientMachineIdentifier!),
    '11223344-5566-7788-99aa-bbccddeeff00',
  );
  assert.equal(packet.options.other, undefined);
});

test('reads what OVMF sends for PXE and for HTTP boot', () => {
  const discover = read(capture('ovmf-pxe-discover'));
  assert.equal(discover.broadcast, true);
  assert.deepEqual(discover.options.clientArchitectures, [7]);
  assert.equal(discover.options.userClass, undefined);
  const request = read(capture('ovmf-pxe-request'));
  assert.equal(request.options.messageType, 3);
  assert.equal(request.options.serverIdentifier, '10.0.2.2');
  assert.equal(request.options.requestedAddress, '10.0.2.15');
  assert.equal(request.options.maximumMessageBytes, 0xff00);
  const http = read(capture('ovmf-http-discover'));
  assert.deepEqual(http.options.clientArchitectures, [16]);
  assert.match(http.options.vendorClassIdentifier!, /^HTTPClient:Arch:00016/);
});

test('a capture cut at any byte is refused, or is the same packet without its tail', () => {
  const whole = capture('ovmf-pxe-request');
  const expected = read(whole);
  for (let length = 0; length < whole.length; length++) {
    const result = decodePacket(whole.slice(0, length));
    if (result.ok)
      assert.deepEqual({ ...result.value, options: {} }, { ...expected, options: {} }, `at ${length}`);
    else assert.match(result.error.code, /truncated/, `at ${length}`);
  }
});

test('a header with wrong lengths is refused with its field', () => {
  assert.equal(failure(packetWith('ff', { patch: { 0: 3 } })), 'out-of-range op 1');
  assert.equal(failure(packetWith('ff', { patch: { 2: 17 } })), 'out-of-range hlen 3');
  assert.equal(failure(packetWith('ff', { patch: { 236: 0 } })), 'not-dhcp magic cookie 240');
  assert.equal(failure(new Uint8Array(65_507)), 'too-long packet 0');
});

test('hardware without a MAC is decoded and yields none', () => {
  assert.equal(clientMacOf(read(packetWith('350101ff', { patch: { 1: 32, 2: 0 } }))), undefined, 'IPoIB');
  assert.equal(clientMacOf(read(packetWith('350101ff', { patch: { 2: 16 } }))), undefined, 'hlen 16');
  const zeros = { 28: 0, 29: 0, 30: 0, 31: 0, 32: 0, 33: 0 };
  assert.equal(clientMacOf(read(packetWith('350101ff', { patch: zeros }))), undefined, 'all zeros');
});

test('an option beyond the end, or a lone code, is refused with offset and code', () => {
  assert.equal(failure(packetWith('350101 0c05 6162')), 'truncated option 12 245');
  assert.equal(failure(packetWith('350101 0c')), 'truncated option 12 length 244');
});

test('a missing END, data after END and padding between options are accepted', () => {
  assert.deepEqual(read(packetWith('350101')).options, { messageType: 1 });
  assert.deepEqual(read(packetWith('350101ff 0c05')).options, { messageType: 1 });
  assert.deepEqual(read(packetWith('0000350101000000')).options, { messageType: 1 });
  assert.deepEqual(read(packetWith('0000000000')).options, {});
  assert.deepEqual(read(packetWith('')).options, {});
});

test('a typed option with a forbidden length stays raw and is reported as malformed', () => {
  const packet = read(
    packetWith(
      '3500 36 03 0a0000 32 05 0a00000001 39 01 02 33 02 0001 01 00 5d 01 00 5e 02 0102 3d 01 00 0c 00',
    ),
  );
  assert.deepEqual(malformedOptionsOf(packet.options), [53, 54, 50, 57, 51, 1, 93, 94, 61, 12]);
  assert.equal(packet.options.messageType, undefined);
});

test('two message types are joined and therefore malformed, as in RFC 3396', () => {
  assert.deepEqual(malformedOptionsOf(read(packetWith('350101 350103 ff')).options), [53]);
});

test('message types without a name are kept as numbers', () => {
  for (const type of ['00', '04', '09', 'ff']) {
    assert.equal(read(packetWith(`3501${type}ff`)).options.messageType, Number.parseInt(type, 16));
  }
});

test('unknown options are kept byte for byte and in order', () => {
  assert.deepEqual(read(packetWith('e0 03 010203 350101 81 00 ff')).options.other, [
    { code: 224, bytes: Uint8Array.of(1, 2, 3) },
    { code: 129, bytes: new Uint8Array() },
  ]);
});

test('overload reads file, then sname, and joins an option split over all three fields', () => {
  const packet = read(
    packetWith('350101 340103 43 02 6162 ff', { file: '43 02 6364 ff', sname: '43 02 6566 0c 01 68 ff' }),
  );
  assert.equal(packet.options.bootFileName, 'abcdef');
  assert.equal(packet.options.hostName, 'h');
  assert.equal(packet.serverName + packet.bootFile, '');
});

test('overload of one field leaves the other a text, and overload does not nest', () => {
  const fileOnly = read(packetWith('340101 ff', { file: '340103 0c0161 ff', sname: '737276' }));
  assert.equal(fileOnly.serverName, 'srv');
  assert.equal(fileOnly.options.hostName, 'a');
  const serverNameOnly = read(packetWith('340102 ff', { file: '626f6f74', sname: '0c0161 ff' }));
  assert.equal(serverNameOnly.bootFile, 'boot');
});

test('an invalid overload is ignored, and a truncated overloaded field is refused', () => {
  assert.equal(read(packetWith('340104 ff', { file: '626f6f74' })).bootFile, 'boot');
  assert.equal(read(packetWith('34020101 ff', { file: '626f6f74' })).bootFile, 'boot');
  assert.equal(
    failure(packetWith('340102 ff', { sname: '00'.repeat(62) + '0c05' })),
    'truncated option 12 108',
  );
});

test('a NUL-terminated class identifier loses its NUL, and text that is not UTF-8 stays raw', () => {
  assert.equal(read(packetWith('3c 04 50584500 ff')).options.vendorClassIdentifier, 'PXE');
  assert.deepEqual(malformedOptionsOf(read(packetWith('0c 02 ff80 3c 01 00 ff')).options), [12, 60]);
});

test('the user class is read in bare and length-prefixed form', () => {
  const classOf = (value: string) => read(packetWith(`4d ${value} ff`)).options.userClass;
  assert.deepEqual(classOf('04 69505845'), { classes: ['iPXE'], lengthPrefixed: false });
  assert.deepEqual(classOf('05 04 69505845'), { classes: ['iPXE'], lengthPrefixed: true });
  assert.deepEqual(classOf('05 01 61 02 6263'), { classes: ['a', 'bc'], lengthPrefixed: true });
  assert.equal(classOf('00'), undefined);
});

test('relay agent information is decoded and kept unchanged, valid or not', () => {
  // 1 circuit id `ab`, 2 remote id 0x01, 5 link selection 10.9.0.0, 11 server identifier override 10.9.0.1
  const value = '01026162 020101 05040a090000 0b040a090001';
  const good = read(packetWith(`52 13 ${value} ff`)).options.relayAgentInformation!;
  assert.deepEqual([...good.circuitId!], [0x61, 0x62]);
  assert.deepEqual([...good.remoteId!], [1]);
  assert.equal(good.linkSelection, '10.9.0.0');
  assert.equal(good.serverIdentifierOverride, '10.9.0.1');
  assert.deepEqual(good.bytes, hexToBytes(value));
  const broken = read(packetWith('52 03 01ff61 ff')).options.relayAgentInformation!;
  assert.deepEqual(broken.subOptions, []);
  assert.deepEqual([...broken.bytes], [1, 255, 0x61]);
});

test('domain search follows compression backwards and refuses pointers that loop or lead outside', () => {
  // `eng.apple.com` and, compressed, `marketing.apple.com`: the example of RFC 3397 section 2.
  const example = '03656e67 056170706c65 03636f6d 00 096d61726b6574696e67 c004';
  assert.deepEqual(read(packetWith(`77 1b ${example} ff`)).options.domainSearch, [
    'eng.apple.com',
    'marketing.apple.com',
  ]);
  for (const loop of [
    '02 c000',
    '02 c001',
    '01 c0',
    '04 0161c000',
    '02 c0ff',
    '03 400161',
    '03 056162',
    '01 00',
  ]) {
    assert.deepEqual(malformedOptionsOf(read(packetWith(`77 ${loop} ff`)).options), [119], loop);
  }
});

test('classless routes have significant octets only, and a prefix above 32 is refused', () => {
  // default via 10.0.0.1; 10.17.0.0/16 via 10.0.0.2; 10.229.0.128/25 via 10.0.0.3 (RFC 3442)
  const routes = '00 0a000001 10 0a11 0a000002 19 0ae50080 0a000003';
  assert.deepEqual(read(packetWith(`79 15 ${routes} ff`)).options.classlessRoutes, [
    { destination: '0.0.0.0', prefixLength: 0, router: '10.0.0.1' },
    { destination: '10.17.0.0', prefixLength: 16, router: '10.0.0.2' },
    { destination: '10.229.0.128', prefixLength: 25, router: '10.0.0.3' },
  ]);
  assert.deepEqual(malformedOptionsOf(read(packetWith('79 05 21 0a000001 ff')).options), [121]);
  assert.deepEqual(malformedOptionsOf(read(packetWith('79 04 10 0a1100 ff')).options), [121]);
});

test('an invalid vendor option or machine identifier affects only itself', () => {
  const packet = read(packetWith('2b 03 06ff08 61 01 07 350101 ff'));
  assert.deepEqual(malformedOptionsOf(packet.options), [43]);
  assert.equal(packet.options.messageType, 1);
  assert.equal(machineUuidOf(packet.options.clientMachineIdentifier!), undefined);
  assert.deepEqual(read(packetWith('61 00 ff')).options.clientMachineIdentifier, new Uint8Array());
});

test('a parameter list of 255 entries with duplicates is read', () => {
  assert.equal(
    read(packetWith(`37 ff ${'0103'.repeat(127)}01 ff`)).options.parameterRequestList?.length,
    255,
  );
});

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void decodePacket(bytes)));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (options) => {
      const bytes = new Uint8Array(240 + options.length);
      bytes.set(packetWith(''));
      bytes.set(options, 240);
      decodePacket(bytes);
    }),
  );
});

test('captures with any few bytes changed never throw', () => {
  for (const name of ['ipxe-bios-discover', 'ovmf-pxe-request']) {
    const whole = capture(name);
    const change = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        decodePacket(bytes);
      }),
      { numRuns: 1000 },
    );
  }
});
