import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPacket, decodePacket, encodePacket, type DhcpPacket } from '@tinkerbell/dhcp';
import {
  peerOf,
  type Log,
  type NetworkInterface,
  type Udp,
  type UdpHandlers,
  type UdpSocket,
} from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { hexToBytes, ipv4 } from '@tinkerbell/wire';
import { createRelayService, type RelayConfig } from './index.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };

/** Without `trials`, nothing is asked and nothing is tried. */
const unused = {
  log: silentLog,
  clock: nodeClock,
  httpClient: { get: () => assert.fail('no server is asked') },
  tryNetwork: () => assert.fail('nothing is tried'),
};
const netmask = '255.255.255.0';
const present: readonly NetworkInterface[] = [
  { name: 'r0', mac: '02:00:00:00:00:01', address: '192.0.2.1', netmask, internal: false },
  { name: 'r1', mac: '02:00:00:00:00:02', address: '198.51.100.1', netmask, internal: false },
];

const CONFIG: RelayConfig = {
  downstream: [{ networkInterface: 'r0' }],
  servers: [{ address: ipv4('10.0.0.1') }, { address: ipv4('10.0.0.2') }],
  settings: { hopsMax: 16 },
};

/**
 * Sockets that record what is sent, and deliver what `receive` passes. They send frames to a MAC if
 * `hasFrames` is true.
 */
function recordingUdp(hasFrames: boolean) {
  const sent: { by: string; way: string; to: string; packet: DhcpPacket }[] = [];
  const handlers = new Map<string, UdpHandlers>();
  const open = new Set<string>();
  const udp: Udp = {
    networkInterfaces: () => present,
    async open(options, given) {
      const by = options.networkInterface ?? 'any';
      handlers.set(by, given);
      open.add(by);
      const record = (way: string, bytes: Uint8Array, to: { address: string; port: number }) => {
        const decoded = decodePacket(bytes);
        assert.ok(decoded.ok);
        sent.push({ by, way, to: `${to.address}:${to.port}`, packet: decoded.value });
      };
      const close = async () => void open.delete(by);
      const socket: UdpSocket = {
        local: { address: '0.0.0.0', port: options.port },
        send: (bytes, to) => record('send', bytes, to),
        sendRun: () => assert.fail('a relay sends no runs'),
        sendToMac(bytes, to, mac) {
          if (hasFrames) record(mac, bytes, to);
          return hasFrames;
        },
        close,
        [Symbol.asyncDispose]: close,
      };
      return socket;
    },
  };
  const receive = (on: string, bytes: Uint8Array, peer = '0.0.0.0') =>
    handlers.get(on)?.onDatagram({
      bytes,
      peer: peerOf(peer, 68),
      networkInterface: on === 'any' ? undefined : on,
    });
  return { udp, sent, receive, open };
}

function packet(header: Partial<DhcpPacket>): Uint8Array {
  const encoded = encodePacket({
    ...emptyPacket,
    transactionId: 9,
    hardwareAddress: hexToBytes('02005e100001 00000000000000000000')!,
    options: { messageType: 1 },
    ...header,
  });
  assert.ok(encoded.ok);
  return encoded.bytes;
}

async function relay(hasFrames = true) {
  const wires = recordingUdp(hasFrames);
  const service = createRelayService({ udp: wires.udp, ...unused }, CONFIG);
  const stopping = new AbortController();
  await service.start(stopping.signal);
  return { ...wires, service, stopping, counters: () => samplesOf(service.metrics) };
}

const OFFER = packet({
  op: 'reply',
  giaddr: ipv4('192.0.2.1'),
  yiaddr: ipv4('192.0.2.50'),
  options: { messageType: 2 },
});

test('a request goes to every server with our address, and a reply to the MAC that it is for', async () => {
  const { receive, sent, counters } = await relay();
  receive('r0', packet({}));
  receive('any', OFFER, '10.0.0.1');
  assert.deepEqual(
    sent.map(({ by, way, to, packet: { giaddr, hops } }) => [by, way, to, giaddr, hops]),
    [
      ['any', 'send', '10.0.0.1:67', '192.0.2.1', 1],
      ['any', 'send', '10.0.0.2:67', '192.0.2.1', 1],
      ['r0', '02:00:5e:10:00:01', '192.0.2.50:68', '192.0.2.1', 0],
    ],
  );
  assert.deepEqual(counters(), {
    'relay_forwarded_total{direction="to-servers"}': 1,
    'relay_forwarded_total{direction="to-clients",way="link-layer"}': 1,
  });
});

test('where no frame can be sent the reply is broadcast', async () => {
  const { receive, sent, counters } = await relay(false);
  receive('any', OFFER, '10.0.0.1');
  assert.deepEqual(
    sent.map(({ by, way, to }) => [by, way, to]),
    [['r0', 'send', '255.255.255.255:68']],
  );
  assert.deepEqual(counters(), { 'relay_forwarded_total{direction="to-clients",way="broadcast"}': 1 });
});

test('a packet that is not forwarded is counted by reason, and nothing returns to its sender', async () => {
  const { receive, sent, counters } = await relay();
  receive('any', packet({}));
  receive('r0', new Uint8Array(20));
  receive('r0', packet({ hops: 16 }));
  receive('any', packet({ op: 'reply' }));
  assert.deepEqual(sent, []);
  receive('r0', packet({ giaddr: ipv4('10.9.9.9') }), '10.0.0.2');
  assert.deepEqual(
    sent.map(({ to }) => to),
    ['10.0.0.1:67'],
  );
  assert.deepEqual(counters(), {
    'relay_dropped_total{reason="not-from-a-client-network"}': 1,
    'relay_dropped_total{reason="undecodable-out-of-range"}': 1,
    'relay_dropped_total{reason="too-many-hops"}': 1,
    'relay_dropped_total{reason="not-for-a-client-network"}': 1,
    'relay_forwarded_total{direction="to-servers"}': 1,
  });
});

test('closes what it opened, and reports that it does not listen', async () => {
  const { service, stopping, open } = await relay();
  assert.deepEqual([...open], ['any', 'r0']);
  assert.equal(service.health().ready, true);
  stopping.abort();
  await service.stopped();
  assert.deepEqual([...open], []);
  assert.equal(service.health().ready, false);
});

test('settings with which nothing would be relayed are refused, with the fix', async () => {
  const information = {
    linkSelection: false,
    serverIdentifierOverride: false,
    ofOtherRelays: 'forward',
    trustsClients: false,
  } as const;
  const rows: [Partial<RelayConfig>, RegExp][] = [
    [{ downstream: [] }, /no client network interface/],
    [{ servers: [] }, /no server/],
    [{ servers: [{ address: ipv4('198.51.100.1') }] }, /198\.51\.100\.1 is this host/],
    [{ downstream: [{ networkInterface: 'r9' }] }, /r9: no such network interface, or it has no IPv4/],
    [{ settings: { hopsMax: 17 } }, /hopsMax is 17; it must be 1 to 16/],
    [
      { settings: { hopsMax: 16, relayAddress: ipv4('198.51.100.1') } },
      /needs option 82 with link selection/,
    ],
    [{ settings: { hopsMax: 16, relayAddress: ipv4('198.51.100.1'), information } }, /link selection/],
  ];
  for (const [change, message] of rows) {
    const { udp, open } = recordingUdp(true);
    const service = createRelayService({ udp, ...unused }, { ...CONFIG, ...change });
    await assert.rejects(service.start(new AbortController().signal), message);
    assert.equal(open.size, 0);
  }
});
