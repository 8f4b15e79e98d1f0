/** Detects other servers: by rules with a fake link, and with a real dnsmasq at the other end of a veth pair. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { messageType, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { PlatformError, type LinkLayer, type SeenDatagram } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { bytesToHex, hexToBytes, ipv4 } from '@tinkerbell/wire';
import { ip, linkNamespaces, whyNoNamespaces, type LinkedNamespaces } from '../testing/linked-namespaces.ts';
import { packet, UEFI } from '../testing/packets.ts';
import { fixedView, MAC, machine, rackConfig, recordingJournal, silentLog } from '../testing/rack.ts';
import { startService } from '../testing/service-process.ts';
import { createBootMetrics } from '../metrics.ts';
import { createForeignServers } from './foreign-servers.ts';

const THEM = ipv4('192.168.77.2');
const OFFERED = ipv4('192.168.77.50');
const STRANGER = hexToBytes('02005e1000ff 00000000000000000000') ?? new Uint8Array(16);

function setStage(mode: 'reservation' | 'proxy' = 'reservation', failure?: Error) {
  let nowMs = 0;
  let hear: (datagram: SeenDatagram) => void = () => assert.fail('nobody listens');
  let closed = 0;
  const linkLayer: LinkLayer = {
    async open(_, onDatagram) {
      if (failure !== undefined) throw failure;
      hear = onDatagram;
      return { broadcast: () => false, close: () => void (closed += 1) };
    },
  };
  const lines: string[] = [];
  const log = {
    ...silentLog,
    info: (message: string) => void lines.push(`info ${message}`),
    warn: (message: string) => void lines.push(`warn ${message}`),
  };
  const journal = recordingJournal();
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
  const base = rackConfig({ dhcp: { networkInterfaces: ['s0'], address: '0.0.0.0', port: 67 } });
  const config = { ...base, netboot: { ...base.netboot, mode } };
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const watch = createForeignServers(
    { clock, journal, log, linkLayer, view: fixedView([machine()]) },
    config,
    metrics,
  );
  const peer = { address: THEM, port: 67 };
  return {
    watch,
    lines,
    journal,
    set,
    offer: (options: DhcpOptions = {}, header: Partial<DhcpPacket> = {}) => {
      const all = { messageType: messageType.offer, serverIdentifier: THEM, ...options };
      const bytes = packet(all, { op: 'reply', yiaddr: OFFERED, ...header });
      hear({ bytes, fromMac: MAC, from: peer, to: { address: '255.255.255.255', port: 68 } });
    },
    noise: (bytes: Uint8Array) => hear({ bytes, fromMac: MAC, from: peer, to: peer }),
    pass: (ms: number) => (nowMs += ms),
    closed: () => closed,
  };
}

describe('another server', () => {
  test('is logged once an hour, counted each time, and listed for an hour', async () => {
    const { watch, lines, journal, set, offer, pass, closed } = setStage();
    await watch.start();
    offer();
    offer();
    assert.deepEqual(lines, ['warn foreign DHCP or PXE server seen']);
    assert.deepEqual(
      journal.entries.map(({ event, machine: mac, details }) => [event, mac, details?.['server']]),
      [['foreign-offer-seen', MAC, THEM]],
    );
    const offers = (count: number) => ({ 'dhcp_foreign_offers_total{kind="addresses"}': count });
    const gauge = { [`dhcp_foreign_server{address="${THEM}",kind="addresses"}`]: 1 };
    assert.deepEqual(samplesOf(set), { ...offers(2), ...gauge });
    pass(3_600_000);
    assert.deepEqual(samplesOf(set), offers(2));
    offer();
    assert.equal(lines.length, 2);
    assert.deepEqual(samplesOf(set), { ...offers(3), ...gauge });
    watch.stop();
    assert.equal(closed(), 1);
  });

  test('is expected beside a proxy, unless it boots machines', async () => {
    const { watch, lines, offer } = setStage('proxy');
    await watch.start();
    offer();
    offer({ vendorClassIdentifier: 'PXEClient', bootFileName: 'pxelinux.0' });
    assert.deepEqual(lines, ['info another DHCP server seen', 'warn foreign DHCP or PXE server seen']);
  });

  test('is not recorded in a timeline when it serves unregistered machines', async () => {
    const { watch, lines, journal, offer } = setStage();
    await watch.start();
    offer({}, { hardwareAddress: STRANGER });
    assert.deepEqual([lines.length, journal.entries.length], [1, 0]);
  });

  test('is not detected in noise, requests or our own replies', async () => {
    const { watch, lines, set, offer, noise } = setStage();
    await watch.start();
    noise(new Uint8Array(10));
    noise(packet({ messageType: 1 }));
    offer({ serverIdentifier: ipv4('192.168.77.1') });
    assert.deepEqual([lines, samplesOf(set)], [[], {}]);
  });

  test('is noticed through a client that chooses it, where the server has no right to listen', async () => {
    const { watch, lines } = setStage('reservation', new PlatformError('permission-denied', 'not allowed'));
    await watch.start();
    watch.seen({
      ...({} as DhcpPacket),
      op: 'request',
      hardwareType: 1,
      hardwareLength: 6,
      hardwareAddress: STRANGER,
      options: { messageType: messageType.request, serverIdentifier: THEM },
    });
    assert.deepEqual(lines, [
      'info offers of other DHCP servers are not watched',
      'warn foreign DHCP or PXE server seen',
    ]);
  });

  test('a forger cannot make the list long', async () => {
    const { watch, set, offer } = setStage();
    await watch.start();
    for (let index = 10; index < 60; index++) offer({ serverIdentifier: ipv4(`192.0.2.${index}`) });
    const listed = Object.keys(samplesOf(set)).filter((name) => name.startsWith('dhcp_foreign_server'));
    assert.equal(listed.length, 16);
  });
});

const skip = whyNoNamespaces(['/usr/sbin/dnsmasq']);

describe('dnsmasq at the other end of the cable', { skip }, () => {
  let link: LinkedNamespaces;
  let dnsmasq: ChildProcess;
  let directory: string;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'boot-foreign-'));
    link = linkNamespaces('foreign', '02:00:5e:10:00:99');
    ip('-n', link.client, 'address', 'add', `${THEM}/24`, 'dev', 'c0');
    const options = [
      '--keep-in-foreground',
      '--log-facility=-',
      '--conf-file=/dev/null',
      '--user=root',
      '--port=0',
      '--no-ping',
      '--interface=c0',
      '--dhcp-range=192.168.77.50,192.168.77.99,1h',
      '--dhcp-vendorclass=set:pxe,PXEClient',
      '--dhcp-boot=tag:pxe,pxelinux.0',
      `--dhcp-leasefile=${join(directory, 'leases')}`,
      `--pid-file=${join(directory, 'pid')}`,
    ];
    dnsmasq = spawn('ip', ['netns', 'exec', link.client, '/usr/sbin/dnsmasq', ...options], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface({ input: dnsmasq.stderr! }))
      if (line.includes('IP range')) break;
  });
  after(async () => {
    const ended = once(dnsmasq, 'close');
    dnsmasq.kill();
    await ended;
    link.remove();
    rmSync(directory, { recursive: true });
  });

  test('its offers are detected, of addresses and of boot files', async () => {
    const service = await startService(link.server, {
      ipxeDirectory: directory,
      networkInterfaces: ['s0'],
      singlePort: false,
      watchesLink: true,
    });
    // Requests are sent from the server's end, so that what arrives there is dnsmasq's.
    const questions = [packet({ messageType: 1 }), packet(UEFI)].map((bytes) => ({
      hex: bytesToHex(bytes),
      address: '255.255.255.255',
      port: 67,
    }));
    const program = new URL('../testing/ask.ts', import.meta.url).pathname;
    const input = JSON.stringify({ networkInterface: 's0', questions });
    const asking = spawn('ip', ['netns', 'exec', link.server, process.execPath, program, input], {
      stdio: 'ignore',
    });
    const seen = () =>
      service.lines
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === 'foreign-offer-seen')
        .map(({ machine: mac, details }) => `${mac} ${details.server} ${details.kind}`)
        .sort();
    try {
      await service.until(() => seen().length >= 2);
      assert.deepEqual(seen(), [`${MAC} ${THEM} addresses`, `${MAC} ${THEM} booting`]);
    } finally {
      asking.kill();
      await once(asking, 'close');
      await service.stop();
    }
  });
});
