import assert from 'node:assert/strict';
import type { IpxeFeature } from '@tinkerbell/ipxe';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { bytesToHex, ipv4, mac, type Ipv4 } from '@tinkerbell/wire';
import {
  bios,
  hardware,
  ipxeWithHttp,
  ipxeWithoutHttp,
  MAC,
  request,
  settings,
  tinkerbellIpxe,
  uefi,
  uefiHttp,
} from '../testing/packets.ts';
import { classifyClient, replyTo, reservationFor, type NetbootSettings } from '../index.ts';

const SCRIPT = 'http://192.168.77.1:7080/ipxe/script/02:00:5e:10:00:01/auto.ipxe';

function decide(packet: DhcpPacket, found = [hardware()], change: Partial<NetbootSettings> = {}) {
  const client = classifyClient(packet);
  const reservation = reservationFor(found, client.mac ?? MAC);
  return replyTo({ request: packet, client, reservation, settings: { ...settings, ...change } });
}

function answer(
  options: DhcpOptions,
  found = [hardware()],
  change: Partial<NetbootSettings> = {},
): DhcpPacket {
  const decision = decide(request(options), found, change);
  assert.equal(decision.kind, 'reply', JSON.stringify(decision));
  return (decision as { reply: DhcpPacket }).reply;
}

function reason(packet: DhcpPacket, found = [hardware()]): string {
  const decision = decide(packet, found);
  return decision.kind === 'ignore' ? decision.reason : 'answered';
}

test('an offer contains the whole reservation', () => {
  const full = hardware({
    dhcp: {
      domain_name: 'lab.example',
      lease_time: 86_400,
      name_servers: ['192.168.77.1', 'bad'],
      time_servers: ['192.168.77.3'],
      classless_static_routes: [{ destination_descriptor: '10.9.0.0/16', router: '192.168.77.9' }],
    },
  });
  const reply = answer({ messageType: 1, clientIdentifier: Uint8Array.of(1, 2), maximumMessageBytes: 1472 }, [
    full,
  ]);
  assert.deepEqual(reply.options, {
    messageType: 2,
    serverIdentifier: '192.168.77.1',
    leaseTimeSeconds: 86_400,
    subnetMask: '255.255.255.0',
    broadcastAddress: '192.168.77.255',
    routers: ['192.168.77.1'],
    logServers: ['192.168.77.2'],
    domainNameServers: ['192.168.77.1'],
    ntpServers: ['192.168.77.3'],
    hostName: 'machine1',
    domainName: 'lab.example',
    domainSearch: ['lab.example'],
    classlessRoutes: [
      { destination: '10.9.0.0', prefixLength: 16, router: '192.168.77.9' },
      { destination: '0.0.0.0', prefixLength: 0, router: '192.168.77.1' },
    ],
    clientIdentifier: Uint8Array.of(1, 2),
  });
  assert.deepEqual(
    [
      reply.op,
      reply.yiaddr,
      reply.siaddr,
      reply.ciaddr,
      reply.hops,
      reply.secondsElapsed,
      reply.transactionId,
    ],
    ['reply', '192.168.77.10', '192.168.77.1', '0.0.0.0', 0, 0, 7],
  );
  assert.equal(reply.bootFile, '', 'an operating system gets no boot file');
});

test('an unset, zero, negative or too large lease time becomes seven days', () => {
  for (const lease_time of [0, -1, 2 ** 32]) {
    assert.equal(
      answer({ messageType: 1 }, [hardware({ dhcp: { lease_time } })]).options.leaseTimeSeconds,
      604_800,
    );
  }
  assert.equal(answer({ messageType: 1 }).options.leaseTimeSeconds, 604_800);
});

// [client, options, file, next server, option 60 of the reply]
const bootFiles: readonly [string, DhcpOptions, string, string, string | undefined][] = [
  ['BIOS PXE', bios, 'undionly.kpxe', '192.168.77.1', undefined],
  ['UEFI PXE', uefi, 'ipxe.efi', '192.168.77.1', undefined],
  [
    'UEFI HTTP boot',
    uefiHttp,
    `http://192.168.77.1:7080/ipxe/binary/${MAC}/ipxe.efi`,
    '192.168.77.1',
    'HTTPClient',
  ],
  ['iPXE with HTTP', ipxeWithHttp, SCRIPT, '192.168.77.1', undefined],
  [
    'iPXE without HTTP',
    ipxeWithoutHttp,
    `tftp://192.168.77.1:69/${MAC}/undionly.kpxe`,
    '192.168.77.1',
    undefined,
  ],
  ["upstream's iPXE", tinkerbellIpxe, SCRIPT, '192.168.77.1', undefined],
  [
    'an unknown architecture',
    { ...uefi, clientArchitectures: [99] },
    '/netboot-not-allowed',
    '0.0.0.0',
    undefined,
  ],
];

for (const [name, options, file, nextServer, vendorClass] of bootFiles) {
  test(`${name} gets the boot file ${file}`, () => {
    for (const messageType of [1, 3]) {
      const reply = answer({ ...options, messageType });
      assert.deepEqual(
        [reply.bootFile, reply.siaddr, reply.options.vendorClassIdentifier],
        [file, nextServer, vendorClass],
      );
      assert.equal(reply.options.messageType, messageType === 1 ? 2 : 5);
    }
  });
}

test('netboot replies have 43.6 = 8 and an empty trace, and for iPXE no-pxedhcp', () => {
  const vendorBytes = (options: DhcpOptions, found = [hardware()]) =>
    (answer(options, found).options.vendorSpecific ?? []).map(
      ({ code, bytes }) => `${code}=${bytesToHex(bytes)}`,
    );
  assert.deepEqual(vendorBytes(uefi), ['6=08', `69=${'00'.repeat(26)}`]);
  assert.deepEqual(vendorBytes(uefi, [hardware({ netboot: { allowPXE: false } })]), []);
  assert.deepEqual(vendorBytes(uefi, [hardware({ dhcp: { vlan_id: '1002' } })]).at(-1), '116=31303032');
  assert.equal(
    vendorBytes(uefi, [hardware({ dhcp: { vlan_id: '${x}' } })]).length,
    2,
    'a text is not a VLAN',
  );
  assert.equal(answer(uefi).options.ipxe, undefined);
  assert.deepEqual(answer(ipxeWithHttp).options.ipxe, [{ code: 176, bytes: Uint8Array.of(1) }]);
});

test('a Raspberry Pi is identified by its prefix and gets its boot menu', () => {
  const pi = mac('dc:a6:32:00:00:01');
  const hardwareAddress = new Uint8Array(16);
  hardwareAddress.set([0xdc, 0xa6, 0x32, 0, 0, 1]);
  const decision = decide(request(bios, { hardwareAddress }), [hardware({ dhcp: { mac: pi } })]);
  assert.ok(decision.kind === 'reply');
  assert.equal(decision.reply.bootFile, 'snp-arm64.efi');
  const sub = new Map(
    decision.reply.options.vendorSpecific!.map(({ code, bytes }) => [code, bytesToHex(bytes)]),
  );
  assert.deepEqual([...sub.keys()], [6, 9, 10, 69]);
  assert.equal(sub.get(9), '00001152617370626572727920506920426f6f74');
  assert.equal(sub.get(10), '00505845');
});

test('overrides by architecture and by Hardware choose the binary', () => {
  const change = { architectureOverrides: new Map([[7, 'snp-x86_64.efi']]) };
  assert.equal(answer(uefi, [hardware()], change).bootFile, 'snp-x86_64.efi');
  const own = hardware({ netboot: { ipxe: { binary: 'mine.efi' } } });
  assert.equal(answer(uefi, [own], change).bootFile, 'mine.efi');
  assert.equal(answer({ ...uefi, clientArchitectures: [99] }, [own]).bootFile, 'mine.efi');
});

test('a machine that may not netboot gets the not-allowed file, but an iPXE gets the script that boots its disk', () => {
  const denied = [hardware({ netboot: { allowPXE: false, ipxe: { url: 'http://own.example/x.ipxe' } } })];
  const uefiReply = answer(uefi, denied);
  assert.deepEqual([uefiReply.bootFile, uefiReply.siaddr], ['/netboot-not-allowed', '0.0.0.0']);
  assert.equal(answer(ipxeWithHttp, denied).bootFile, SCRIPT);
  assert.equal(answer(ipxeWithHttp, denied, { bootLocalWhenIdle: false }).bootFile, '/netboot-not-allowed');
  assert.equal(answer(ipxeWithoutHttp, denied).bootFile, '/netboot-not-allowed');
});

test('with chainloading always, as upstream, only the user class Tinkerbell gets the script', () => {
  const always = { chainloading: 'always' } as const;
  assert.equal(
    answer(ipxeWithHttp, [hardware()], always).bootFile,
    `tftp://192.168.77.1:69/${MAC}/undionly.kpxe`,
  );
  assert.equal(answer(tinkerbellIpxe, [hardware()], always).bootFile, SCRIPT);
});

test('an iPXE that lacks a required feature gets our binary first', () => {
  const binary = `tftp://192.168.77.1:69/${MAC}/undionly.kpxe`;
  const fileFor = (ipxeFeatures: readonly IpxeFeature[]) =>
    answer(ipxeWithHttp, [hardware()], { ipxeFeatures }).bootFile;
  assert.deepEqual([fileFor([]), fileFor(['http'])], [SCRIPT, SCRIPT]);
  assert.deepEqual([fileFor(['https']), fileFor(['http', 'https'])], [binary, binary]);
});

test("a Hardware's own script URL has priority, and one that does not fit the header goes to option 67", () => {
  const url = (length: number) => 'http://own.example/'.padEnd(length, 'x');
  const fits = answer(ipxeWithHttp, [hardware({ netboot: { ipxe: { url: url(127) } } })]);
  assert.deepEqual([fits.bootFile, fits.options.bootFileName], [url(127), undefined]);
  const long = answer(ipxeWithHttp, [hardware({ netboot: { ipxe: { url: url(128) } } })]);
  assert.deepEqual([long.bootFile, long.options.bootFileName], ['', url(128)]);
});

test('tftp_server_name and boot_file_name replace the netboot block', () => {
  const reply = answer(uefi, [
    hardware({ dhcp: { tftp_server_name: '10.0.0.9', boot_file_name: 'grub.efi' } }),
  ]);
  assert.deepEqual(
    [reply.bootFile, reply.options.tftpServerName, reply.options.bootFileName],
    ['grub.efi', '10.0.0.9', 'grub.efi'],
  );
  assert.equal(reply.options.vendorSpecific, undefined);
});

test('without netboot options firmware gets its address only', () => {
  const reply = answer(uefi, [hardware()], { netbootOptionsEnabled: false });
  assert.deepEqual(
    [reply.bootFile, reply.yiaddr, reply.options.vendorSpecific],
    ['', '192.168.77.10', undefined],
  );
});

test('relay information and server identifier override are honoured', () => {
  const relay = { bytes: Uint8Array.of(11, 4, 10, 9, 0, 1), subOptions: [] };
  const reply = answer({ messageType: 1, relayAgentInformation: relay });
  assert.equal(reply.options.serverIdentifier, '10.9.0.1');
  assert.deepEqual(reply.options.relayAgentInformation?.bytes, relay.bytes);
  // The server address that the relay presents, and the server's own address for a lease from before the
  // relay did so.
  for (const serverIdentifier of [ipv4('10.9.0.1'), settings.serverAddress]) {
    const { options } = answer({ messageType: 3, relayAgentInformation: relay, serverIdentifier });
    assert.deepEqual([options.messageType, options.serverIdentifier], [5, '10.9.0.1']);
  }
  const elsewhere = { messageType: 3, relayAgentInformation: relay, serverIdentifier: ipv4('10.9.0.2') };
  assert.equal(reason(request(elsewhere)), 'other-server-selected');
  assert.equal(
    reason(request({ messageType: 3, serverIdentifier: ipv4('10.9.0.1') })),
    'other-server-selected',
  );
});

test('a REQUEST is acknowledged, refused or ignored as in RFC 2131 section 4.3.2', () => {
  const us = settings.serverAddress;
  const ours = ipv4('192.168.77.10');
  const other = ipv4('192.168.77.99');
  const rows: readonly [DhcpOptions, Partial<DhcpPacket>, number | string][] = [
    [{ serverIdentifier: us, requestedAddress: ours }, {}, 5], // SELECTING
    [{ serverIdentifier: us, requestedAddress: other }, {}, 6],
    [{ serverIdentifier: other, requestedAddress: ours }, {}, 'other-server-selected'],
    [{ requestedAddress: ours }, {}, 5], // INIT-REBOOT
    [{ requestedAddress: other }, {}, 6],
    [{}, { ciaddr: ours }, 5], // RENEWING
    [{}, { ciaddr: other }, 6],
  ];
  for (const [options, header, expected] of rows) {
    const decision = decide(request({ messageType: 3, ...options }, header));
    assert.equal(
      decision.kind === 'reply'
        ? decision.reply.options.messageType
        : reason(request({ messageType: 3, ...options }, header)),
      expected,
      JSON.stringify(options),
    );
  }
  const [home, away] = [ipv4('192.168.77.254'), ipv4('10.1.0.1')];
  const selected = (linkSelection: Ipv4) => ({
    relayAgentInformation: { bytes: Uint8Array.of(5, 4, ...octets(linkSelection)), subOptions: [] },
  });
  const links: readonly [DhcpOptions, Partial<DhcpPacket>, number][] = [
    [{ requestedAddress: ours }, { giaddr: home }, 5],
    [{ requestedAddress: ours }, { giaddr: away }, 6],
    [{ requestedAddress: ours, ...selected(home) }, { giaddr: away }, 5],
    [{ requestedAddress: ours, subnetSelection: home }, { giaddr: away }, 5],
    [{ requestedAddress: ours, ...selected(away), subnetSelection: home }, { giaddr: home }, 6],
    [{ requestedAddress: ours, serverIdentifier: us }, { giaddr: away }, 5], // SELECTING
    [{}, { ciaddr: ours, giaddr: away }, 5], // REBINDING
  ];
  for (const [options, header, expected] of links) {
    const decision = decide(request({ messageType: 3, ...options }, header));
    assert.ok(decision.kind === 'reply');
    assert.equal(decision.reply.options.messageType, expected, JSON.stringify([options, header]));
  }
  assert.equal(
    reason(request({ messageType: 3, requestedAddress: other }), []),
    'no-hardware',
    'an unknown machine is never refused',
  );
});

const octets = (address: Ipv4) => address.split('.').map(Number);

test('a refusal contains only the server identifier, and requests broadcast through a relay', () => {
  const giaddr = ipv4('10.1.0.1');
  const decision = decide(
    request({ ...uefi, messageType: 3, requestedAddress: ipv4('10.9.9.9') }, { giaddr }),
  );
  assert.ok(decision.kind === 'reply');
  const { yiaddr, siaddr, ciaddr, broadcast, bootFile, options } = decision.reply;
  assert.deepEqual(
    [yiaddr, siaddr, ciaddr, broadcast, bootFile],
    ['0.0.0.0', '0.0.0.0', '0.0.0.0', true, ''],
  );
  assert.deepEqual(Object.keys(options), ['messageType', 'serverIdentifier', 'message']);
});

test('INFORM gets settings without a lease', () => {
  const decision = decide(request({ messageType: 8 }, { ciaddr: ipv4('192.168.77.10') }));
  assert.ok(decision.kind === 'reply');
  assert.equal(decision.reply.yiaddr, '0.0.0.0');
  assert.equal(decision.reply.options.leaseTimeSeconds, undefined);
  assert.deepEqual(decision.reply.options.routers, ['192.168.77.1']);
});

test('every ignored packet has its reason', () => {
  const header = (change: Partial<DhcpPacket>) => request({ messageType: 1 }, change);
  assert.equal(reason(header({ op: 'reply' })), 'not-a-request');
  assert.equal(reason(header({ hops: 16 })), 'answered');
  assert.equal(reason(header({ hops: 17 })), 'too-many-hops');
  assert.equal(reason(request({})), 'no-message-type');
  assert.equal(reason(request({ other: [{ code: 53, bytes: Uint8Array.of(1, 3) }] })), 'malformed-option');
  assert.equal(
    reason(request({ messageType: 3, other: [{ code: 54, bytes: Uint8Array.of(1) }] })),
    'malformed-option',
  );
  for (const giaddr of ['127.0.0.1', '224.0.0.1', '255.255.255.255', '192.168.77.1']) {
    assert.equal(reason(header({ giaddr: ipv4(giaddr) })), 'relay-address-invalid', giaddr);
    assert.equal(reason(header({ ciaddr: ipv4(giaddr) })), 'client-address-invalid', giaddr);
  }
  for (const edge of [
    '192.168.77.0',
    '192.168.77.255',
    '10.20.3.255',
    '10.20.0.0',
    '240.0.0.1',
    '239.9.9.9',
  ]) {
    const pool = { first: ipv4('10.20.0.10'), last: ipv4('10.20.0.99'), prefixLength: 22 };
    const pools = [{ ...pool, nameServers: [], leaseTimeSeconds: 600 }];
    for (const [field, why] of [
      ['giaddr', 'relay-address-invalid'],
      ['ciaddr', 'client-address-invalid'],
    ] as const) {
      const decision = decide(header({ [field]: ipv4(edge) }), [hardware()], { pools });
      assert.equal(decision.kind === 'ignore' && decision.reason, why, `${field} ${edge}`);
    }
  }
  assert.equal(reason(header({ giaddr: ipv4('10.20.3.255') })), 'answered', 'from an unknown network');
  assert.equal(reason(header({ hardwareType: 32, hardwareLength: 0 })), 'no-hardware-address');
  assert.equal(reason(request({ messageType: 7 })), 'client-released');
  assert.equal(reason(request({ messageType: 4 })), 'client-declined');
  for (const messageType of [4, 7]) {
    const serverIdentifier = ipv4('192.168.77.2');
    assert.equal(reason(request({ messageType, serverIdentifier })), 'other-server-selected');
  }
  for (const messageType of [0, 2, 5, 6, 9, 255])
    assert.equal(reason(request({ messageType })), 'unknown-message-type');
  assert.equal(reason(request({ messageType: 8 })), 'client-address-invalid');
  assert.equal(reason(header({}), []), 'no-hardware');
  assert.equal(reason(header({}), [hardware(), hardware()]), 'several-hardware');
});

test('no decodable packet makes the decision throw', () => {
  const whole = request(ipxeWithHttp);
  assert.ok(whole);
  const options = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(options, fc.uint8Array({ minLength: 44, maxLength: 44 }), (options, header) => {
      const bytes = new Uint8Array(240 + options.length);
      bytes.set(header);
      bytes.set([1, 1, 6, 0]);
      bytes.set([0x63, 0x82, 0x53, 0x63], 236);
      bytes.set(options, 240);
      const packet = decodePacket(bytes);
      if (packet.ok) decide(packet.value);
    }),
    { numRuns: 2000 },
  );
});
