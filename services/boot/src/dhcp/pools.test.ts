import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { parseAddressPool } from '@tinkerbell/netboot';
import { peerOf, type AddressHolder, type UdpAddress } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import type { Hardware } from '@tinkerbell/resources';
import type { Lease } from '@tinkerbell/store-contract';
import { hexToBytes, ipv4 } from '@tinkerbell/wire';
import { createClientLimit } from './client-limit.ts';
import { createBootMetrics } from '../metrics.ts';
import { createDhcpListener } from './listener.ts';
import { DhcpPools } from './pools.ts';
import { createDhcpTimeline } from './timeline.ts';
import { packet, UEFI } from '../testing/packets.ts';
import { fixedView, machine, MAC, rackConfig, recordingJournal, silentLog } from '../testing/rack.ts';

/** Settings with a pool from .100 to this address. */
function netbootTo(last: string) {
  const parsed = parseAddressPool(`192.168.77.100-${last}/24,gateway=192.168.77.254,lease=10m`);
  assert.ok(parsed.ok);
  return { ...rackConfig().netboot, pools: [parsed.value] };
}

const FIRST = ipv4('192.168.77.100');
const NOW = 1_700_000_000_000;

interface Scene {
  readonly hardware?: readonly Hardware[];
  readonly written?: readonly Lease[];
  /** The host that answers a probe of an address. */
  readonly holders?: Readonly<Record<string, AddressHolder>>;
  readonly isDiskFull?: boolean;
  readonly isProbeBroken?: boolean;
  /** Probes never end. */
  readonly isProbeStuck?: boolean;
  /** The last address of the pool. */
  readonly last?: string;
}

/** A listener with a pool, on a clock that the test moves, with a lease book and a network that the test can inspect. */
async function poolScene({
  hardware = [machine()],
  written = [],
  holders = {},
  isDiskFull = false,
  isProbeBroken = false,
  isProbeStuck = false,
  last = '192.168.77.103',
}: Scene = {}) {
  const time = { now: NOW };
  const netboot = netbootTo(last);
  const clock = { nowMs: () => time.now, monotonicMs: () => time.now, schedule: () => () => {} };
  const book = new Map(written.map((lease) => [lease.address, lease]));
  const leases = {
    load: async () => [...book.values()],
    write: async (lease: Lease) => {
      if (isDiskFull) throw new Error('disk full');
      book.set(lease.address, lease);
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const probed: string[] = [];
  const probe = {
    holderOf: async (address: string) => {
      probed.push(address);
      if (isProbeStuck) await new Promise(() => undefined);
      if (isProbeBroken) throw new Error('network is down');
      return holders[address];
    },
  };
  const journal = recordingJournal();
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const timeline = createDhcpTimeline({ log: silentLog, journal, clock }, metrics);
  const view = fixedView(hardware);
  const pools = new DhcpPools({ view, clock, log: silentLog, leases, probe, timeline }, netboot);
  await pools.load();
  const mayAsk = createClientLimit(clock);
  const listener = createDhcpListener({ view, timeline, mayAsk, pools }, { netboot });
  const sent: DhcpPacket[] = [];
  const socket = {
    send(bytes: Uint8Array, _to: UdpAddress) {
      const decoded = decodePacket(bytes);
      assert.ok(decoded.ok);
      sent.push(decoded.value);
    },
    sendToMac: () => false,
  };
  return {
    time,
    book,
    probed,
    journal,
    set,
    /** Returns the answer to a request of the `client`-th stranger, after all pending work has settled. */
    ask: async (client: number, options: DhcpOptions, header: Partial<DhcpPacket> = {}) => {
      sent.length = 0;
      const hardwareAddress = hexToBytes(`02005e1000${(0x20 + client).toString(16)} 00000000000000000000`)!;
      const bytes = packet(options, { hardwareAddress, ...header });
      const peer = peerOf('0.0.0.0', 68);
      const arrival = { port: 'dhcp', localAddresses: [] } as const;
      listener({ bytes, peer, networkInterface: undefined }, { arrival, socket });
      await new Promise((settled) => setImmediate(settled));
      const [reply] = sent;
      return reply === undefined ? undefined : `${reply.options.messageType} ${reply.yiaddr}`;
    },
    sent,
  };
}

const select = (requestedAddress = FIRST): DhcpOptions => ({
  messageType: 3,
  serverIdentifier: ipv4('192.168.77.1'),
  requestedAddress,
});

test('an unknown client is offered a probed address, and its lease is on disk before it is acknowledged', async () => {
  const { ask, book, probed, sent } = await poolScene();
  assert.equal(await ask(0, { ...UEFI, messageType: 1 }), `2 ${FIRST}`);
  assert.deepEqual([sent[0]!.bootFile, sent[0]!.options.vendorSpecific], ['', undefined]);
  assert.deepEqual([probed, [...book]], [[FIRST], []]);
  assert.equal(await ask(0, select()), `5 ${FIRST}`);
  assert.equal(sent[0]!.options.leaseTimeSeconds, 600);
  assert.deepEqual(book.get(FIRST), {
    address: FIRST,
    mac: '02:00:5e:10:00:20',
    state: 'leased',
    untilMs: NOW + 600_000,
  });
});

test('a machine keeps its address after a restart, after its lease ends, and when others request it', async () => {
  const first = await poolScene();
  await first.ask(0, { messageType: 1 });
  await first.ask(0, select());
  const { ask, time, probed } = await poolScene({ written: [...first.book.values()] });
  assert.equal(await ask(1, { messageType: 1, requestedAddress: FIRST }), '2 192.168.77.101');
  time.now += 3_600_000;
  assert.equal(await ask(0, { messageType: 3 }, { ciaddr: FIRST }), `5 ${FIRST}`, 'renewed late');
  assert.equal(await ask(0, { messageType: 3, requestedAddress: FIRST }), `5 ${FIRST}`, 'INIT-REBOOT');
  assert.equal(await ask(0, { messageType: 1 }), `2 ${FIRST}`);
  assert.deepEqual(probed, ['192.168.77.101'], 'its own address is not probed again');
});

test('a flood of unknown clients whose addresses are probed does not keep a client from its address', async () => {
  const lease = { address: FIRST, mac: '02:00:5e:10:00:20', state: 'leased', untilMs: NOW - 1 } as const;
  const { ask, probed } = await poolScene({ written: [lease], isProbeStuck: true, last: '192.168.77.250' });
  for (let stranger = 1; stranger <= 140; stranger += 1) await ask(stranger, { messageType: 1 });
  assert.equal(probed.length, 128, 'probes are bounded');
  assert.equal(await ask(0, { messageType: 1 }), `2 ${FIRST}`);
});

test('an address whose probe failed is offered without delay', async () => {
  const { ask, probed } = await poolScene({ isProbeBroken: true });
  assert.equal(await ask(0, { messageType: 1 }), `2 ${FIRST}`);
  assert.equal(await ask(0, { messageType: 1 }), `2 ${FIRST}`);
  assert.deepEqual(probed, [FIRST]);
});

test('an address that answers a probe is not used for an hour, and the next one is offered', async () => {
  const { ask, journal, book, time } = await poolScene({
    holders: { [FIRST]: { mac: '02:aa:aa:aa:aa:aa' } },
  });
  assert.equal(await ask(0, { messageType: 1 }), '2 192.168.77.101');
  assert.deepEqual(journal.entries.map(({ event, message }) => [event, message]).slice(0, 1), [
    [
      'address-in-use',
      `${FIRST} was to be offered, but the machine 02:aa:aa:aa:aa:aa uses it; it is not used for an hour`,
    ],
  ]);
  assert.equal(book.get(FIRST)?.state, 'declined');
  time.now += 3_599_000;
  assert.equal(await ask(1, { messageType: 1, requestedAddress: FIRST }), '2 192.168.77.102');
});

test('a client may keep the address that it uses, without a DISCOVER', async () => {
  const { ask } = await poolScene({ holders: { [FIRST]: { mac: '02:00:5e:10:00:20' } } });
  assert.equal(await ask(0, { messageType: 1 }), `2 ${FIRST}`);
});

test('DECLINE and RELEASE are stored, and the addresses of Hardware are never assigned', async () => {
  const { ask, book } = await poolScene({
    hardware: [machine({ ip: { address: '192.168.77.101' } })],
  });
  await ask(0, { messageType: 1 });
  await ask(0, select());
  assert.equal(await ask(0, { messageType: 4, requestedAddress: FIRST }), undefined);
  assert.equal(book.get(FIRST)?.state, 'declined');
  assert.equal(await ask(0, { messageType: 1 }), '2 192.168.77.102');
  await ask(0, select(ipv4('192.168.77.102')));
  assert.equal(await ask(0, { messageType: 7 }, { ciaddr: ipv4('192.168.77.102') }), undefined);
  assert.equal(book.get('192.168.77.102')?.state, 'released');
});

test('a lease that cannot be stored is counted and not acknowledged', async () => {
  const { ask, set } = await poolScene({ isDiskFull: true });
  assert.equal(await ask(0, { messageType: 1 }), `2 ${FIRST}`);
  assert.equal(await ask(0, select()), undefined);
  assert.equal(samplesOf(set)['dhcp_ignored_total{reason="lease-not-written"}'], 1);
});

test('an offer that was not accepted is free for the next client at once', async () => {
  const { ask } = await poolScene();
  await ask(0, { messageType: 1 });
  await ask(0, { ...select(), serverIdentifier: ipv4('192.168.77.2') });
  assert.equal(await ask(1, { messageType: 1, requestedAddress: FIRST }), `2 ${FIRST}`);
});

test('machines with their own address, and hostile packets, never reach the pool', async () => {
  const { ask, set, probed } = await poolScene();
  const hardwareAddress = hexToBytes(`${MAC.replaceAll(':', '')} 00000000000000000000`)!;
  assert.equal(await ask(0, { messageType: 1 }, { hardwareAddress }), '2 192.168.77.10');
  assert.equal(await ask(0, { messageType: 1 }, { giaddr: ipv4('127.0.0.1') }), undefined);
  assert.equal(await ask(0, { messageType: 1 }, { hops: 17 }), undefined);
  assert.deepEqual(probed, []);
  assert.equal(samplesOf(set)['dhcp_ignored_total{reason="relay-address-invalid"}'], 1);
});
