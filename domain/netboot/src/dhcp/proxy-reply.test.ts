import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodePacket, encodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { ipv4, parseIpv4Network } from '@tinkerbell/wire';
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
import {
  classifyClient,
  parseMacPrefix,
  replyTo,
  reservationFor,
  type Arrival,
  type NetbootSettings,
} from '../index.ts';

const SCRIPT = `http://192.168.77.1:7080/ipxe/script/${MAC}/auto.ipxe`;
const US = settings.serverAddress;
const proxy: NetbootSettings = { ...settings, mode: 'proxy' };
const autoProxy: NetbootSettings = { ...settings, mode: 'auto-proxy' };
const bootServer: Arrival = { port: 'boot-server', localAddresses: [] };

interface Situation {
  readonly found?: Parameters<typeof reservationFor>[0];
  readonly with?: NetbootSettings;
  readonly arrival?: Arrival;
}

function decide(packet: DhcpPacket, situation: Situation = {}) {
  const client = classifyClient(packet);
  const reservation = reservationFor(situation.found ?? [hardware()], client.mac ?? MAC);
  const { arrival } = situation;
  return replyTo({
    request: packet,
    client,
    reservation,
    settings: situation.with ?? proxy,
    ...(arrival === undefined ? {} : { arrival }),
  });
}

function answer(options: DhcpOptions, situation?: Situation): DhcpPacket {
  const decision = decide(request(options), situation);
  assert.equal(decision.kind, 'reply', JSON.stringify(decision));
  return (decision as { reply: DhcpPacket }).reply;
}

function outcome(packet: DhcpPacket, situation?: Situation): string {
  const decision = decide(packet, situation);
  return decision.kind === 'ignore' ? decision.reason : 'answered';
}

test('a proxy offer has the boot file and no addresses', () => {
  const identifier = Uint8Array.of(0, ...Array.from({ length: 16 }, (_, index) => index));
  const full = hardware({
    dhcp: {
      domain_name: 'lab.example',
      name_servers: ['192.168.77.1'],
      time_servers: ['192.168.77.3'],
      classless_static_routes: [{ destination_descriptor: '10.9.0.0/16', router: '192.168.77.9' }],
      tftp_server_name: '10.0.0.9',
      boot_file_name: 'grub.efi',
    },
  });
  const subnetSelection = ipv4('10.9.0.0');
  const asked = { ...uefi, clientMachineIdentifier: identifier, clientIdentifier: Uint8Array.of(1, 2) };
  const reply = answer({ ...asked, subnetSelection }, { found: [full] });
  assert.deepEqual(reply.options, {
    messageType: 2,
    serverIdentifier: US,
    vendorClassIdentifier: 'PXEClient',
    vendorSpecific: [{ code: 6, bytes: Uint8Array.of(8) }],
    clientMachineIdentifier: identifier,
    clientIdentifier: Uint8Array.of(1, 2),
  });
  const { yiaddr, ciaddr, siaddr, serverName, bootFile, transactionId } = reply;
  assert.deepEqual(
    [yiaddr, ciaddr, siaddr, serverName, bootFile, transactionId],
    ['0.0.0.0', '0.0.0.0', US, US, 'ipxe.efi', 7],
  );
});

// [client, options, file, option 60 of the reply]
const bootFiles: readonly [string, DhcpOptions, string, string][] = [
  ['BIOS PXE', bios, 'undionly.kpxe', 'PXEClient'],
  ['UEFI PXE', uefi, 'ipxe.efi', 'PXEClient'],
  ['UEFI HTTP boot', uefiHttp, `http://192.168.77.1:7080/ipxe/binary/${MAC}/ipxe.efi`, 'HTTPClient'],
  ['iPXE with HTTP', ipxeWithHttp, SCRIPT, 'PXEClient'],
  ['iPXE without HTTP', ipxeWithoutHttp, `tftp://192.168.77.1:69/${MAC}/undionly.kpxe`, 'PXEClient'],
  ["upstream's iPXE", tinkerbellIpxe, SCRIPT, 'PXEClient'],
];

for (const [name, options, file, vendorClass] of bootFiles) {
  test(`${name} is offered ${file}, by auto-proxy also on an unknown machine`, () => {
    for (const situation of [{ with: proxy }, { with: autoProxy }, { with: autoProxy, found: [] }]) {
      const reply = answer(options, situation);
      assert.deepEqual([reply.bootFile, reply.options.vendorClassIdentifier], [file, vendorClass]);
    }
  });
}

test('a machine that may not netboot gets a missing file, but an iPXE gets the script that boots its disk', () => {
  const found = [hardware({ netboot: { allowPXE: false } })];
  const without = { ...proxy, bootLocalWhenIdle: false };
  for (const [options, settings, file] of [
    [uefi, proxy, `/${MAC}/netboot-not-allowed`],
    [uefiHttp, proxy, `/${MAC}/netboot-not-allowed`],
    [ipxeWithoutHttp, proxy, `/${MAC}/netboot-not-allowed`],
    [ipxeWithHttp, proxy, SCRIPT],
    [ipxeWithHttp, without, `/${MAC}/netboot-not-allowed`],
    [uefi, autoProxy, `/${MAC}/netboot-not-allowed`],
  ] as const) {
    const reply = answer(options, { found, with: settings });
    assert.deepEqual([reply.bootFile, reply.siaddr, reply.serverName], [file, US, US]);
  }
});

test("a Hardware's own binary is named, and its own script URL is left to the script route", () => {
  const found = [hardware({ netboot: { ipxe: { binary: 'mine.efi', url: 'http://own.example/x.ipxe' } } })];
  assert.equal(answer(uefi, { found }).bootFile, 'mine.efi');
  assert.equal(answer({ ...uefi, clientArchitectures: [99] }, { found }).bootFile, 'mine.efi');
  assert.equal(answer(ipxeWithHttp, { found }).bootFile, SCRIPT);
});

test('a URL that does not fit the header goes to option 67', () => {
  const scriptUrl = `http://${'a'.repeat(130)}/auto.ipxe`;
  const reply = answer(ipxeWithHttp, { with: { ...proxy, scriptUrl, scriptUrlHasMac: false } });
  assert.deepEqual([reply.bootFile, reply.options.bootFileName], ['', scriptUrl]);
});

test('on port 67 only requests to all servers or to this one are answered', () => {
  const other = ipv4('192.168.77.2');
  const wanted = ipv4('192.168.77.50');
  const rows: readonly [DhcpOptions, Partial<DhcpPacket>, string][] = [
    [{ messageType: 1 }, {}, 'answered'],
    [{ messageType: 3, serverIdentifier: US }, {}, 'answered'],
    [{ messageType: 3, serverIdentifier: other, requestedAddress: wanted }, {}, 'other-server-selected'],
    [{ messageType: 3, requestedAddress: wanted }, {}, 'address-wanted'], // INIT-REBOOT
    [{ messageType: 3 }, { ciaddr: wanted }, 'address-wanted'], // RENEWING
    [{ messageType: 4 }, {}, 'client-declined'],
    [{ messageType: 7 }, {}, 'client-released'],
    [{ messageType: 8 }, { ciaddr: wanted }, 'not-a-netboot-client'],
    [{ messageType: 2 }, {}, 'not-a-netboot-client'],
  ];
  for (const [options, header, expected] of rows) {
    for (const settings of [proxy, autoProxy]) {
      const packet = request({ ...uefi, ...options }, header);
      assert.equal(outcome(packet, { with: settings }), expected, JSON.stringify(options));
    }
  }
});

test('on port 4011 a REQUEST is acknowledged, whichever server it names', () => {
  const ciaddr = ipv4('192.168.77.50');
  for (const serverIdentifier of [undefined, US, ipv4('192.168.77.2')]) {
    const named = serverIdentifier === undefined ? {} : { serverIdentifier };
    const decision = decide(request({ ...uefi, ...named, messageType: 3 }, { ciaddr }), {
      arrival: bootServer,
    });
    assert.ok(decision.kind === 'reply');
    const { options, bootFile, yiaddr } = decision.reply;
    assert.deepEqual([options.messageType, bootFile, yiaddr], [5, 'ipxe.efi', '0.0.0.0']);
  }
  assert.equal(outcome(request(uefi), { arrival: bootServer }), 'unknown-message-type');
  assert.equal(outcome(request({ messageType: 3 }), { arrival: bootServer }), 'not-a-netboot-client');
});

test('clients that are not boot firmware, have no binary or no usable Hardware are ignored', () => {
  const { vendorClassIdentifier: _, ...noClass } = uefi;
  const { clientNetworkInterface: __, ...noInterface } = uefi;
  for (const options of [{ messageType: 1 }, noClass, noInterface]) {
    for (const settings of [proxy, autoProxy])
      assert.equal(outcome(request(options), { with: settings }), 'not-a-netboot-client');
  }
  const odd = request({ ...uefi, clientArchitectures: [99] });
  assert.equal(outcome(odd), 'no-binary');
  assert.equal(outcome(odd, { with: autoProxy, found: [] }), 'no-binary');
  assert.equal(outcome(request(uefi, { op: 'reply' })), 'not-a-request');
  for (const settings of [proxy, autoProxy]) {
    const off = { ...settings, netbootOptionsEnabled: false };
    assert.equal(outcome(request(uefi), { with: off }), 'netboot-options-disabled');
  }
});

test('auto-proxy boots machines without Hardware, but not those with invalid Hardware', () => {
  const disabled = hardware({ networkInterface: { disableDhcp: true } });
  const broken = hardware({ dhcp: { ip: { address: 'x' } } });
  const silent = hardware({ networkInterface: { netboot: undefined } });
  // [Hardware, in proxy mode, in auto-proxy mode]
  for (const [found, inProxy, inAutoProxy] of [
    [[], 'no-hardware', 'answered'],
    [[silent], 'no-netboot-data', 'answered'],
    [[disabled], 'answered', 'answered'],
    [[broken], 'address-invalid', 'address-invalid'],
    [[hardware(), hardware()], 'several-hardware', 'several-hardware'],
  ] as const) {
    assert.equal(outcome(request(uefi), { found }), inProxy);
    assert.equal(outcome(request(uefi), { found, with: autoProxy }), inAutoProxy);
  }
});

test('the list of MAC prefixes excludes other machines, in both proxy modes', () => {
  for (const mode of ['proxy', 'auto-proxy'] as const) {
    const allow = (...macPrefixes: string[]) => ({
      with: { ...settings, mode, proxyAllow: { macPrefixes, subnets: [] } },
    });
    assert.equal(outcome(request(uefi), allow('52:54:00')), 'mac-not-allowed');
    assert.equal(outcome(request(uefi), allow('52:54:00', '02:00:5e')), 'answered');
    assert.equal(outcome(request(uefi), allow(MAC)), 'answered');
    assert.equal(
      outcome(request({ ...uefi, messageType: 3 }), { ...allow('52:54'), arrival: bootServer }),
      'mac-not-allowed',
    );
  }
});

test('the list of subnets uses the relay, else the network interface, and forbids unknown subnets', () => {
  const subnets = ['10.1.0.0/16', '192.168.77.0/24'].map((text) => parseIpv4Network(text)!);
  const allow = { with: { ...autoProxy, proxyAllow: { macPrefixes: [], subnets } } };
  const on = (...localAddresses: string[]): Arrival => ({
    port: 'dhcp',
    localAddresses: localAddresses.map(ipv4),
  });
  const direct = request(uefi);
  const relayed = (giaddr: string) => request(uefi, { giaddr: ipv4(giaddr) });
  assert.equal(outcome(direct, { ...allow, arrival: on('192.168.77.1') }), 'answered');
  assert.equal(outcome(direct, { ...allow, arrival: on('172.16.0.1', '192.168.77.1') }), 'answered');
  assert.equal(outcome(direct, { ...allow, arrival: on('172.16.0.1') }), 'subnet-not-allowed');
  assert.equal(outcome(direct, { ...allow, arrival: on() }), 'link-unknown');
  assert.equal(outcome(direct, allow), 'link-unknown');
  assert.equal(outcome(relayed('10.1.9.9'), allow), 'answered');
  assert.equal(
    outcome(relayed('10.2.0.1'), { ...allow, arrival: on('192.168.77.1') }),
    'subnet-not-allowed',
    'the relay decides, not the shared network interface',
  );
});

test('a MAC prefix is one to six whole octets', () => {
  assert.equal(parseMacPrefix('52-54-0A'), '52:54:0a');
  assert.equal(parseMacPrefix('52'), '52');
  assert.equal(parseMacPrefix('52:54:00:00:00:01'), '52:54:00:00:00:01');
  for (const text of ['', '5', '52:', '52:5', '5254', '52:54-00', '52:54:00:00:00:01:02', 'gg', '52:54:00\n'])
    assert.equal(parseMacPrefix(text), undefined, text);
});

test('for any decoded packet, a proxy never sends an address, a lease or a network setting', () => {
  const allowed = new Set([43, 53, 54, 60, 61, 67, 82, 97]);
  const header = fc.record({
    messageType: fc.constantFrom(1, 3, 8),
    isOnBootPort: fc.boolean(),
    client: fc.constantFrom(bios, uefi, uefiHttp, ipxeWithHttp, ipxeWithoutHttp, tinkerbellIpxe),
    serverIdentifier: fc.constantFrom(US, ipv4('192.168.77.2')),
    extra: fc.uint8Array({ maxLength: 20 }),
    code: fc.integer({ min: 1, max: 254 }),
  });
  let answered = 0;
  fc.assert(
    fc.property(header, ({ messageType, isOnBootPort, client, serverIdentifier, extra, code }) => {
      const asked = { ...client, messageType, serverIdentifier, other: [{ code, bytes: extra }] };
      const arrival: Arrival = { port: isOnBootPort ? 'boot-server' : 'dhcp', localAddresses: [] };
      const decision = decide(request(asked), { with: autoProxy, found: [], arrival });
      if (decision.kind !== 'reply') return;
      answered += 1;
      const encoded = encodePacket(decision.reply);
      assert.ok(encoded.ok);
      const decoded = decodePacket(encoded.bytes);
      assert.ok(decoded.ok);
      assert.equal(decoded.value.yiaddr, '0.0.0.0');
      for (const each of optionCodes(encoded.bytes)) assert.ok(allowed.has(each), `option ${each}`);
    }),
    { numRuns: 500 },
  );
  assert.ok(answered > 50);
});

/** Reads the codes in the options field without the project's decoder. */
function optionCodes(bytes: Uint8Array): number[] {
  const codes: number[] = [];
  for (let at = 240; bytes[at] !== 255 && at < bytes.length;) {
    if (bytes[at] === 0) at += 1;
    else {
      codes.push(bytes[at]!);
      at += 2 + bytes[at + 1]!;
    }
  }
  return codes;
}
