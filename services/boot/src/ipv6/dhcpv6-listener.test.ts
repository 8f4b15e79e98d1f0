import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeMessage,
  duidOfMac,
  encodeMessage,
  messageType,
  optionTable,
  type Dhcpv6Options,
} from '@tinkerbell/dhcpv6';
import { peerOf, type UdpAddress } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { encodeUtf8, hexToBytes, mac, parseIpv6 } from '@tinkerbell/wire';
import { createBootMetrics } from '../metrics.ts';
import { Dhcpv6Listener } from './dhcpv6-listener.ts';
import { createDhcpv6Timeline } from './dhcpv6-timeline.ts';
import { fixedView, machine, MAC, rackConfig, recordingJournal, silentLog } from '../testing/rack.ts';

const SERVER = duidOfMac(mac('02:00:5e:00:00:ff'));
const CLIENT = duidOfMac(mac(MAC));
const BINARIES = 'http://[2001:db8::1]/';
const UEFI: Dhcpv6Options = {
  clientIdentifier: CLIENT,
  clientArchitectures: [16],
  vendorClass: { enterprise: 343, data: [encodeUtf8('HTTPClient:Arch:00016')] },
};

/** Feeds datagrams to a listener on Hardware `machine1` and collects what it sends, counts and records. */
function feed(...datagrams: { bytes: Uint8Array; from?: string }[]) {
  const journal = recordingJournal();
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const timeline = createDhcpv6Timeline({ log: silentLog, journal, clock: nodeClock }, metrics);
  const udp6 = { open: () => assert.fail('no socket here'), macOf: () => undefined };
  const config = { networkInterfaces: [], httpBinaryV6Url: BINARIES };
  const listener = new Dhcpv6Listener({
    deps: { view: fixedView([machine()]), log: silentLog, udp6 },
    config,
    settings: { ...config, netboot: rackConfig().netboot },
    timeline,
  });
  const sent: { bytes: Uint8Array; to: UdpAddress }[] = [];
  const socket = { send: (bytes: Uint8Array, to: UdpAddress) => void sent.push({ bytes, to }) };
  for (const { bytes, from = 'fe80::1' } of datagrams) {
    const peer = peerOf(from, 40_000);
    listener.onDatagram({ bytes, peer, networkInterface: 'eth0' }, { socket, serverIdentifier: SERVER });
  }
  return { sent, counters: samplesOf(set), entries: journal.entries };
}

const question = (options: Dhcpv6Options, type: number = messageType.informationRequest) =>
  encodeMessage({ type, transactionId: 7, options });

test("an Information-request causes a Reply to the client's port, a count and a timeline entry", () => {
  const { sent, counters, entries } = feed({ bytes: question(UEFI) });
  const [only] = sent;
  assert.deepEqual([sent.length, only?.to], [1, { address: 'fe80::1', port: 546 }]);
  const reply = decodeMessage(only!.bytes);
  assert.ok(reply.ok);
  assert.equal(reply.value.options.bootFileUrl, `${BINARIES}${MAC}/ipxe.efi`);
  assert.deepEqual(counters, { 'dhcpv6_sent_total{type="reply"}': 1 });
  assert.deepEqual(
    entries.map(({ event, machine, message }) => [event, machine, message]),
    [['reply-sent', MAC, `DHCPv6 information-request: reply, boot file ${BINARIES}${MAC}/ipxe.efi`]],
  );
});

test('a reply to a relayed request goes to the relay, in its envelope, for the MAC that the relay reports', () => {
  const clientIdentifier = hexToBytes('0004 00112233445566778899aabbccddeeff')!;
  const inside = question({ ...UEFI, clientIdentifier });
  const length = (bytes: Uint8Array) => [bytes.length >> 8, bytes.length & 255];
  const addresses = new Uint8Array(32);
  const linkLayer = hexToBytes(`0001 ${MAC}`)!;
  const { code } = optionTable.clientLinkLayerAddress;
  const bytes = Uint8Array.of(
    12,
    0,
    ...addresses,
    0,
    code,
    ...length(linkLayer),
    ...linkLayer,
    0,
    9,
    ...length(inside),
    ...inside,
  );
  const { sent, entries } = feed({ bytes, from: '2001:db8::99' });
  assert.deepEqual(sent[0]?.to, { address: '2001:db8::99', port: 547 });
  assert.equal(sent[0]?.bytes[0], messageType.relayReply);
  assert.deepEqual(
    entries.map(({ machine }) => machine),
    [MAC],
  );
});

test('an unanswered packet is counted by reason, and machines that do not boot are in no timeline', () => {
  const stranger = { clientIdentifier: duidOfMac(mac('02:00:5e:10:00:ff')) };
  const { sent, counters, entries } = feed(
    { bytes: new Uint8Array(2) },
    { bytes: question(stranger) },
    { bytes: question({ ...UEFI, ...stranger }) },
    { bytes: question({ ...UEFI, ...stranger }) },
    { bytes: question({}) },
    { bytes: question({ ...UEFI, serverIdentifier: CLIENT }, messageType.request) },
  );
  assert.deepEqual(sent, []);
  assert.deepEqual(counters, {
    'dhcpv6_ignored_total{reason="undecodable-truncated"}': 1,
    'dhcpv6_ignored_total{reason="no-hardware"}': 3,
    'dhcpv6_ignored_total{reason="no-mac"}': 1,
    'dhcpv6_ignored_total{reason="other-server-selected"}': 1,
  });
  assert.deepEqual(
    entries.map(({ machine, details }) => [machine, details?.['reason']]),
    [
      ['02:00:5e:10:00:ff', 'no-hardware'],
      [MAC, 'other-server-selected'],
    ],
  );
});

test('of several MACs that a client may have, the one in a Hardware is used', () => {
  const other = { ...UEFI, clientIdentifier: duidOfMac(mac('02:00:5e:10:00:ff')) };
  const linkLocal = parseIpv6('fe80::5eff:fe10:1')!;
  const { sent, counters } = feed({ bytes: question(other), from: linkLocal });
  assert.equal(sent.length, 1, JSON.stringify(counters));
});
