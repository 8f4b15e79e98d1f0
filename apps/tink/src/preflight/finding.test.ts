import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyPacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { ipv4, IPV4_ANY } from '@tinkerbell/wire';
import { findingsFor } from './finding.ts';
import { adviceFor } from './mode-advice.ts';
import type { Answer, Observation } from './observation.ts';
import { reportOf, reportText } from './report.ts';

const quiet: Observation = {
  networkInterface: {
    name: 'eth1',
    mac: '02:00:5e:10:00:03',
    isUp: true,
    mtuBytes: 1500,
    addresses: [{ address: '192.0.2.3', netmask: '255.255.255.0' }],
    gateway: '192.0.2.254',
  },
  answers: [],
  requests: [],
  ports: [],
  ipv6: { routers: [], dhcpServers: [] },
  isTinkerbellHere: false,
  isAsked: true,
};

function packet(options: DhcpOptions, header: Partial<DhcpPacket> = {}): DhcpPacket {
  return {
    ...emptyPacket,
    op: 'reply',
    broadcast: true,
    options: { messageType: 2, serverIdentifier: ipv4('192.0.2.1'), ...options },
    ...header,
  };
}

const network: DhcpOptions = { subnetMask: ipv4('255.255.255.0'), routers: [ipv4('192.0.2.254')] };

function offer(
  options: DhcpOptions = {},
  header: Partial<DhcpPacket> = {},
  more: Partial<Answer> = {},
): Answer {
  const packetOf = packet({ ...network, ...options }, { yiaddr: ipv4('192.0.2.50'), ...header });
  return { to: 'os', fromMac: '02:00:5e:10:00:01', from: '192.0.2.1', packet: packetOf, ...more };
}

const other = ipv4('192.0.2.2');
const holder = 'dnsmasq (process 812)';
const port = (protocol: 'tcp' | 'udp', number: number) => ({ protocol, port: number, holder });

type Row = readonly [name: string, seen: Partial<Observation>, codes: readonly string[], mode: string];
const rows: readonly Row[] = [
  ['nobody', {}, ['no-server'], 'reservation'],
  ['nothing could be sent', { isAsked: false }, ['not-asked'], 'none'],
  ['a DHCP server', { answers: [offer()] }, ['dhcp-server'], 'proxy'],
  ['one that refuses', { answers: [offer({ messageType: 6 })] }, ['no-server'], 'reservation'],
  [
    'BOOTP, without a type',
    { answers: [{ ...offer(), packet: packet({}, { yiaddr: ipv4('192.0.2.50') }) }] },
    ['dhcp-server', 'no-gateway'],
    'proxy',
  ],
  ['a next server alone', { answers: [offer({}, { siaddr: ipv4('192.0.2.1') })] }, ['dhcp-server'], 'proxy'],
  [
    'a boot file in the header',
    { answers: [offer({}, { bootFile: 'x.0' })] },
    ['foreign-boot-server'],
    'none',
  ],
  [
    'a boot file as option 67',
    { answers: [offer({ bootFileName: 'x.0' })] },
    ['foreign-boot-server'],
    'none',
  ],
  [
    'option 60 without a file',
    { answers: [offer({ vendorClassIdentifier: 'PXEClient' })] },
    ['foreign-boot-server'],
    'none',
  ],
  [
    'an HTTP boot server',
    { answers: [offer({ vendorClassIdentifier: 'HTTPClient' }, {}, { to: 'http-uefi' })] },
    ['foreign-boot-server'],
    'none',
  ],
  [
    'a proxy',
    { answers: [offer({ vendorClassIdentifier: 'PXEClient' }, { yiaddr: IPV4_ANY })] },
    ['foreign-boot-server'],
    'none',
  ],
  [
    'an answer on UDP 4011',
    { answers: [offer(), offer({ messageType: 5 }, {}, { to: 'boot-server' })] },
    ['foreign-boot-server'],
    'none',
  ],
  [
    'a Tinkerbell',
    { answers: [offer({}, { bootFile: 'http://192.0.2.1/ipxe/binary/ipxe.efi' })] },
    ['tinkerbell-answers'],
    'none',
  ],
  [
    'a relay',
    { answers: [offer({}, { giaddr: ipv4('192.0.2.9') })] },
    ['dhcp-server', 'behind-relay'],
    'proxy',
  ],
  [
    'two hosts with one address',
    { answers: [offer(), offer({}, {}, { fromMac: '02:00:5e:10:00:09' })] },
    ['dhcp-server', 'same-address-twice'],
    'none',
  ],
  [
    'two that agree',
    { answers: [offer(), offer({ serverIdentifier: other })] },
    ['dhcp-server', 'dhcp-server', 'several-dhcp-servers'],
    'proxy',
  ],
  [
    'two with other gateways',
    { answers: [offer(), offer({ serverIdentifier: other, routers: [other] })] },
    ['dhcp-server', 'dhcp-server', 'conflicting-dhcp-servers'],
    'none',
  ],
  [
    'another subnet',
    { answers: [offer({}, { yiaddr: ipv4('198.51.100.7') })] },
    ['dhcp-server', 'other-subnet'],
    'proxy',
  ],
  ['a port in use', { ports: [port('udp', 67)] }, ['no-server', 'port-in-use'], 'none'],
  ['syslog in use', { ports: [port('udp', 514)] }, ['no-server', 'port-in-use'], 'reservation'],
  [
    'ours runs here',
    { ports: [port('udp', 67)], isTinkerbellHere: true },
    ['no-server', 'port-of-tinkerbell'],
    'none',
  ],
  [
    'no cable',
    { networkInterface: { ...quiet.networkInterface, isUp: false } },
    ['interface-down', 'no-server'],
    'none',
  ],
  [
    'IPv6',
    { ipv6: { routers: ['fe80::1'], dhcpServers: ['fe80::2'] } },
    ['no-server', 'ipv6-router', 'dhcpv6-server'],
    'reservation',
  ],
  [
    'a relay that asks',
    { requests: [{ fromMac: '02:00:5e:10:00:07', packet: packet({}, { op: 'request', giaddr: other }) }] },
    ['no-server', 'relay-seen', 'clients-seen'],
    'reservation',
  ],
];

describe('the findings of', () => {
  for (const [name, seen, codes, mode] of rows) {
    test(name, () => {
      const observation = { ...quiet, ...seen };
      const findings = findingsFor(observation);
      assert.deepEqual(
        findings.map(({ code }) => code),
        codes,
      );
      assert.equal(adviceFor(observation, findings).mode, mode);
    });
  }

  test('never prints cursor movements of a server', () => {
    const evil = offer({ domainName: '\u001b[2J', bootFileName: '\u001b[31m' });
    assert.ok(!reportText(reportOf({ ...quiet, answers: [evil] })).includes('\u001b'));
  });

  test('advises no syslog flag if the port is in use', () => {
    const { advice } = reportOf({ ...quiet, ports: [port('udp', 514)] });
    assert.ok(advice.mode === 'reservation' && advice.flags.includes('--syslog-enabled=false'));
  });
});
