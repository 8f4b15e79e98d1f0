import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePacket, type DhcpPacket } from '@tinkerbell/dhcp';
import { UnknownMachines } from '@tinkerbell/enrollment';
import type { Arrival, NetbootSettings } from '@tinkerbell/netboot';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import type { Hardware } from '@tinkerbell/resources';
import { peerOf, type UdpAddress } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { hexToBytes, ipv4 } from '@tinkerbell/wire';
import { createClientLimit } from './client-limit.ts';
import { createBootMetrics } from '../metrics.ts';
import { createDhcpListener } from './listener.ts';
import { addressesOn } from './sockets.ts';
import { createUnknownSightings } from './unknown-sightings.ts';
import { createDhcpTimeline } from './timeline.ts';
import { packet, UEFI } from '../testing/packets.ts';
import { fixedView, machine, MAC, rackConfig, recordingJournal, silentLog } from '../testing/rack.ts';

const NO_ADDRESS: UdpAddress = { address: '0.0.0.0', port: 68 };
const ON_DHCP_PORT: Arrival = { port: 'dhcp', localAddresses: [] };
interface Feeding {
  readonly netboot?: Partial<NetbootSettings>;
  readonly arrival?: Arrival;
  readonly peer?: UdpAddress;
  /** The socket can send frames. */
  readonly framesTo?: 'any-mac';
  readonly hardware?: readonly Hardware[];
}

/** Feeds packets to a listener on Hardware `machine1` and collects what it sends, counts and records. */
function feed(
  { netboot = {}, arrival = ON_DHCP_PORT, peer = NO_ADDRESS, framesTo, hardware = [machine()] }: Feeding,
  ...packets: Uint8Array[]
) {
  const journal = recordingJournal();
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const timeline = createDhcpTimeline({ log: silentLog, journal, clock: nodeClock }, metrics);
  const config = { netboot: { ...rackConfig().netboot, ...netboot } };
  const mayAsk = createClientLimit({ monotonicMs: () => 0 });
  const unknown = new UnknownMachines();
  let nowMs = 0;
  const clock = { ...nodeClock, nowMs: () => (nowMs += 4_000) };
  const reportUnknown = createUnknownSightings({ unknownMachines: unknown, clock, journal });
  const heard = { view: fixedView(hardware), timeline, mayAsk, reportUnknown };
  const listener = createDhcpListener(heard, config);
  const sent: { reply: DhcpPacket; to: string }[] = [];
  const socket = {
    send(bytes: Uint8Array, { address, port }: UdpAddress) {
      const decoded = decodePacket(bytes);
      assert.ok(decoded.ok);
      sent.push({ reply: decoded.value, to: `${address}:${port}` });
    },
    sendToMac(bytes: Uint8Array, to: UdpAddress, mac: string) {
      if (framesTo === undefined) return false;
      this.send(bytes, { address: `${mac} ${to.address}`, port: to.port });
      return true;
    },
  };
  for (const bytes of packets)
    listener(
      { bytes, peer: peerOf(peer.address, peer.port), networkInterface: undefined },
      { arrival, socket },
    );
  return { sent, counters: samplesOf(set), entries: journal.entries, unknown: unknown.list() };
}

const listen = (...packets: Uint8Array[]) => feed({}, ...packets);

test('a DISCOVER of firmware causes an OFFER by broadcast, a count and a timeline entry', () => {
  const { sent, counters, entries } = listen(packet(UEFI));
  assert.deepEqual(
    sent.map(({ reply, to }) => [reply.yiaddr, reply.bootFile, to]),
    [['192.168.77.10', 'ipxe.efi', '255.255.255.255:68']],
  );
  assert.deepEqual(counters, { 'dhcp_sent_total{type="offer"}': 1 });
  assert.deepEqual(
    entries.map(({ event, machine, message }) => [event, machine, message]),
    [['offer-sent', MAC, 'discover from PXE firmware: offer of 192.168.77.10, boot file ipxe.efi']],
  );
});

test('records an unregistered machine that requests a boot, and reports it once', () => {
  const { sent, unknown, entries } = feed({ hardware: [] }, packet(UEFI), packet(UEFI), packet(UEFI));
  assert.deepEqual(sent, []);
  assert.deepEqual(unknown, [
    {
      mac: MAC,
      client: 'PXE firmware',
      architecture: 7,
      vendorClass: 'PXEClient:Arch:00007:UNDI:003000',
      asked: 'discover',
      reason: 'no-hardware',
      message: `no Hardware has the MAC ${MAC}`,
      firstSeenMs: 4_000,
      lastSeenMs: 12_000,
      count: 3,
    },
  ]);
  const told = entries.filter(({ event }) => event === 'machine-unknown');
  assert.deepEqual(
    told.map(({ machine, message }) => [machine, message]),
    [
      [
        MAC,
        `${MAC} (PXE firmware) asks to boot, is not registered and is not answered: no Hardware has the MAC ${MAC}; register it with: tink hardware accept ${MAC}`,
      ],
    ],
  );
});

test('does not record operating systems and registered machines', () => {
  assert.deepEqual(feed({}, packet(UEFI)).unknown, []);
  assert.deepEqual(feed({ hardware: [] }, packet({})).unknown, []);
});

test('records a BMC that asks for its own address, with the address that it accepts', () => {
  const ask = (type: number, address?: string) =>
    packet({
      vendorClassIdentifier: 'iDRAC',
      messageType: type,
      ...(address === undefined ? {} : { requestedAddress: ipv4(address) }),
    });
  const { unknown, entries } = feed({ hardware: [] }, ask(1), ask(3, '192.0.2.77'), ask(1));
  assert.deepEqual(
    unknown.map(({ mac, client, bmc, address, count }) => [mac, client, bmc, address, count]),
    [[MAC, 'BMC (Dell iDRAC)', 'Dell iDRAC', '192.0.2.77', 3]],
  );
  const reported = entries.find(({ event }) => event === 'machine-unknown');
  assert.match(
    reported?.message ?? '',
    /\(BMC \(Dell iDRAC\)\) asks for its address and .*find it with: tink bmc discover$/,
  );
});

test('offers no file that the server does not have, and the timeline names it', () => {
  const { sent, entries } = feed({ netboot: { lacksBinary: (name) => name === 'ipxe.efi' } }, packet(UEFI));
  assert.deepEqual(
    sent.map(({ reply }) => [reply.yiaddr, reply.bootFile]),
    [['192.168.77.10', '/netboot-not-allowed']],
  );
  assert.match(entries[0]?.message ?? '', /no netboot: this server has no boot file ipxe\.efi$/);
});

test('the timeline records why a machine is offered no boot', () => {
  const hardware = [machine({ netboot: { allowPXE: false } })];
  const { entries } = feed({ hardware, netboot: { bootLocalWhenIdle: false } }, packet(UEFI));
  assert.deepEqual(
    entries.map(({ message }) => message),
    [
      'discover from PXE firmware: offer of 192.168.77.10, no netboot: spec.interfaces[0].netboot.allowPXE is not true',
    ],
  );
});

test('a client that repeats its request in a loop is answered twenty times, counted each time, and recorded once a second', () => {
  const { sent, counters, entries } = listen(
    ...Array.from({ length: 19 }, () => packet(UEFI)),
    packet({ ...UEFI, messageType: 3 }),
    ...Array.from({ length: 30 }, () => packet(UEFI)),
  );
  assert.equal(sent.length, 20);
  assert.deepEqual(counters, {
    'dhcp_sent_total{type="offer"}': 19,
    'dhcp_sent_total{type="acknowledge"}': 1,
    'dhcp_ignored_total{reason="too-many-requests"}': 30,
  });
  assert.deepEqual(
    entries.map(({ event, machine }) => [event, machine]),
    [
      ['offer-sent', MAC],
      ['acknowledge-sent', MAC],
      ['request-ignored', MAC],
    ],
  );
});

test('records a DECLINE with other users of the address, and a RELEASE with the address', () => {
  const twin = { ...machine(), metadata: { name: 'machine2', namespace: 'default' } };
  twin.spec!.interfaces![0]!.dhcp!.mac = '02:00:5e:10:00:02';
  const decline = packet({ messageType: 4, requestedAddress: ipv4('192.168.77.10') });
  const release = packet({ messageType: 7 }, { ciaddr: ipv4('192.168.77.10') });
  const messages = (hardware: readonly Hardware[]) =>
    feed({ hardware }, decline, release).entries.map(({ event, message }) => `${event}: ${message}`);
  const found = 'address-declined: the machine finds 192.168.77.10 in use by another';
  const released = 'address-released: address 192.168.77.10 released';
  assert.deepEqual(messages([machine(), twin]), [
    `${found}; it is also the address of Hardware default/machine2 (02:00:5e:10:00:02)`,
    released,
  ]);
  assert.deepEqual(messages([machine()]), [
    `${found}; no other Hardware has it: search for a machine with a fixed address, or for another DHCP server`,
    released,
  ]);
});

test('replies go to the relay, to the address in use, in a frame, or by broadcast where no frame can be sent', () => {
  const giaddr = ipv4('10.1.0.1');
  const ciaddr = ipv4('192.168.77.10');
  const packets = [
    packet(UEFI, { giaddr }),
    packet({ messageType: 3 }, { ciaddr, broadcast: false }),
    packet(UEFI, { broadcast: false }),
    packet(UEFI, { broadcast: true }),
  ];
  const destinations = (feeding: Feeding) => feed(feeding, ...packets).sent.map(({ to }) => to);
  const [relay, inUse, everybody] = ['10.1.0.1:67', '192.168.77.10:68', '255.255.255.255:68'];
  assert.deepEqual(destinations({}), [relay, inUse, everybody, everybody]);
  const frame = `${MAC} 192.168.77.10:68`;
  assert.deepEqual(destinations({ framesTo: 'any-mac' }), [relay, inUse, frame, everybody]);
});

test('the relay of a packet is recorded, whether the packet is answered or not', () => {
  const giaddr = ipv4('10.1.0.1');
  const stranger = hexToBytes('02005e1000ff 00000000000000000000')!;
  const { entries } = listen(
    packet(UEFI, { giaddr }),
    packet(UEFI),
    packet(UEFI, { giaddr, hardwareAddress: stranger }),
  );
  const relays = entries.map(({ event, details }) => `${event} ${details?.['relay']}`);
  assert.ok(
    relays.includes('offer-sent 10.1.0.1') && relays.includes('request-ignored 10.1.0.1'),
    relays.join(),
  );
});

test('an ignored packet is counted by reason, and recorded in the timeline once a minute per machine and reason', () => {
  const stranger = hexToBytes('02005e1000ff 00000000000000000000')!;
  const { sent, counters, entries } = listen(
    packet(UEFI, { hardwareAddress: stranger }),
    packet(UEFI, { hardwareAddress: stranger }),
    packet({ messageType: 7 }),
    packet({}),
    new Uint8Array(20),
  );
  assert.deepEqual(sent, []);
  assert.deepEqual(counters, {
    'dhcp_ignored_total{reason="no-hardware"}': 2,
    'dhcp_ignored_total{reason="client-released"}': 1,
    'dhcp_ignored_total{reason="no-message-type"}': 1,
    'dhcp_ignored_total{reason="undecodable-out-of-range"}': 1,
  });
  assert.deepEqual(
    entries.map(({ event, details }) => [event, details?.['reason']]),
    [
      ['request-ignored', 'no-hardware'],
      ['machine-unknown', undefined],
      ['address-released', 'client-released'],
      ['request-ignored', 'no-message-type'],
    ],
  );
});

test('a good exchange succeeds after garbage', () => {
  const { sent } = listen(
    new Uint8Array(3000).fill(255),
    new Uint8Array(0),
    packet(UEFI),
    packet({ ...UEFI, messageType: 3 }),
  );
  assert.deepEqual(
    sent.map(({ reply }) => reply.options.messageType),
    [2, 5],
  );
});

test('as a proxy it offers the boot file by broadcast, and leaves the REQUEST to the other server', () => {
  const serverIdentifier = ipv4('192.168.77.2');
  const { sent, counters, entries } = feed(
    { netboot: { mode: 'proxy' } },
    packet({ ...UEFI, messageType: 3, serverIdentifier }),
    packet({ messageType: 1 }),
    packet(UEFI, { broadcast: false }),
  );
  assert.deepEqual(
    sent.map(({ reply, to }) => [reply.yiaddr, reply.bootFile, to]),
    [['0.0.0.0', 'ipxe.efi', '255.255.255.255:68']],
  );
  assert.deepEqual(counters, {
    'dhcp_ignored_total{reason="other-server-selected"}': 1,
    'dhcp_ignored_total{reason="not-a-netboot-client"}': 1,
    'dhcp_sent_total{type="offer"}': 1,
  });
  assert.deepEqual(
    entries.map(({ event, message }) => [event, message]),
    [
      ['request-ignored', 'request ignored: the client chose 192.168.77.2'],
      ['request-ignored', 'discover ignored: a proxy answers boot firmware only'],
      ['offer-sent', 'discover from PXE firmware: offer without address, boot file ipxe.efi'],
    ],
  );
});

test('a client in the network of a proxy is counted, and not recorded', () => {
  const stranger = hexToBytes('02005e1000ff 00000000000000000000')!;
  const { counters, entries } = feed(
    { netboot: { mode: 'proxy' } },
    packet({ messageType: 1 }, { hardwareAddress: stranger }),
    packet(UEFI, { hardwareAddress: stranger }),
  );
  assert.deepEqual(counters, {
    'dhcp_ignored_total{reason="not-a-netboot-client"}': 1,
    'dhcp_ignored_total{reason="no-hardware"}': 1,
  });
  assert.deepEqual(
    entries.map(({ details }) => details?.['reason']),
    ['no-hardware'],
    'boot firmware without Hardware is recorded',
  );
});

test('on the boot server port the answer goes to the sender’s address and port, if that is a host', () => {
  const arrival: Arrival = { port: 'boot-server', localAddresses: [] };
  const ask = (peer: UdpAddress) => {
    const bytes = packet({ ...UEFI, messageType: 3 }, { ciaddr: ipv4('192.168.77.50') });
    return feed({ netboot: { mode: 'proxy' }, arrival, peer }, bytes);
  };
  for (const port of [68, 4011]) {
    const { sent } = ask({ address: '192.168.77.50', port });
    assert.deepEqual(
      sent.map(({ reply, to }) => [reply.options.messageType, reply.bootFile, to]),
      [[5, 'ipxe.efi', `192.168.77.50:${port}`]],
    );
  }
  const { sent, counters } = ask(NO_ADDRESS);
  assert.deepEqual(sent, []);
  assert.deepEqual(counters, { 'dhcp_ignored_total{reason="client-address-invalid"}': 1 });
});

test('the allow-list of subnets is compared with the server’s addresses on the network interface', () => {
  const network = { address: ipv4('192.168.77.0'), prefixLength: 24 };
  const netboot = { mode: 'auto-proxy', proxyAllow: { macPrefixes: [], subnets: [network] } } as const;
  const offersOn = (name: string | undefined, interfaces: readonly [string, string][]) => {
    const networkInterfaces = () =>
      interfaces.map(([name, address]) => ({
        name,
        address,
        mac: MAC,
        netmask: '',
        internal: name === 'lo',
      }));
    const localAddresses = addressesOn({ networkInterfaces }, name);
    return feed({ netboot, arrival: { port: 'dhcp', localAddresses } }, packet(UEFI)).sent.length;
  };
  const lo: [string, string] = ['lo', '127.0.0.1'];
  const lan: [string, string] = ['eth1', '192.168.77.1'];
  const office: [string, string] = ['eth0', '10.0.0.1'];
  assert.equal(offersOn('eth1', [lo, office, lan]), 1);
  assert.equal(offersOn('eth0', [lo, office, lan]), 0);
  assert.equal(offersOn(undefined, [lo, lan]), 1);
  assert.equal(offersOn(undefined, [lo, office, lan]), 0, 'the network interface is unknown');
});
