/** Whatever machines ask, and however often they repeat it, the DHCP thread sends what the rules and the codec give for that packet alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import {
  classifyClient,
  replyTo,
  reservationFor,
  type Arrival,
  type NetbootSettings,
  type Reservation,
} from '@tinkerbell/netboot';
import { peerOf } from '@tinkerbell/platform-contract';
import type { Hardware } from '@tinkerbell/resources';
import { bytesToHex, ipv4, macFromBytes, type Mac } from '@tinkerbell/wire';
import { createHeldThread } from '../../testing/held-thread.ts';
import { createRandom } from '../../testing/packet-mutator.ts';
import { packet, UEFI } from '../../testing/packets.ts';
import { furtherMachine, rackConfig } from '../../testing/rack.ts';
import { sendReply } from '../reply-sender.ts';
import type { BinaryName, DhcpReport } from './messages.ts';

const COUNT = 6_000;
/** Machines without a reservation come after those with one. */
const MACHINES = 6;
const PEER = peerOf('192.168.77.50', 68);
const BINARIES: readonly BinaryName[] = ['undionly.kpxe', 'ipxe.efi', 'snp-arm64.efi', 'own.efi'].flatMap(
  (name) => [{ name, protocol: 'tftp' } as const, { name, protocol: 'http' } as const],
);

type Random = ReturnType<typeof createRandom>;

for (const mode of ['reservation', 'proxy', 'auto-proxy'] as const)
  test(`in ${mode} mode`, async (context) => {
    const seed = process.hrtime()[1];
    context.diagnostic(`seed ${seed}`);
    const [random, scene] = [createRandom(seed), await sceneOf(mode)];
    const before: Uint8Array[] = [];
    let answered = 0;
    for (let index = 0; index < COUNT; index += 1) {
      if (random(12) === 0) scene.change(random);
      const bytes = nextRequest(random, before);
      const port = mode === 'reservation' || random(4) > 0 ? 'dhcp' : 'boot-server';
      const expected = scene.expected(bytes, port);
      assert.deepEqual(await scene.outcome(bytes, port), expected, `packet ${index}: ${bytesToHex(bytes)}`);
      if (expected !== 'passed') answered += 1;
    }
    assert.ok(answered > COUNT / 40, `only ${answered} answers: the packets are too odd to be a test`);
  });

/** One of the last requests again, sometimes with a changed byte, or a new one. */
function nextRequest(random: Random, before: Uint8Array[]): Uint8Array {
  const last = before[random(before.length || 1)];
  const bytes = last === undefined || random(3) === 0 ? newRequest(random) : last.slice();
  // xid and secs.
  for (let at = 4; at < 10; at += 1) bytes[at] = random(256);
  if (random(8) === 0) bytes[random(bytes.length)] = random(256);
  before[before.length < 16 ? before.length : random(16)] = bytes;
  return bytes;
}

function newRequest(random: Random): Uint8Array {
  const maybe = (key: string, ...values: readonly unknown[]) =>
    random(2) === 0 ? {} : { [key]: values[random(values.length)] };
  const bytesOf = (length: number) => Uint8Array.from({ length }, () => random(256));
  const machine = random(MACHINES + 1);
  const own = ipv4(`192.168.77.${100 + machine}`);
  const options: DhcpOptions = {
    ...(random(2) === 0 ? UEFI : {}),
    ...maybe('vendorClassIdentifier', 'PXEClient:Arch:00000:UNDI:002001', 'HTTPClient:Arch:00016', 'MSFT'),
    ...maybe('clientArchitectures', [0], [7], [11], [16], [9999]),
    ...maybe('userClass', { classes: ['iPXE'], lengthPrefixed: false }),
    ...maybe('ipxe', [{ code: 0x13, bytes: Uint8Array.of(1) }]),
    ...maybe('requestedAddress', own, ipv4('192.168.77.9')),
    ...maybe('serverIdentifier', ipv4('192.168.77.1'), ipv4('192.168.77.2')),
    ...maybe('clientIdentifier', bytesOf(7), bytesOf(19)),
    ...maybe('relayAgentInformation', { bytes: Uint8Array.of(1, 2, ...bytesOf(2)), subOptions: [] }),
    ...maybe('parameterRequestList', [1, 3, 6, 12], [12, 51, 67, 66, 1], [...bytesOf(20)]),
    ...maybe('maximumMessageBytes', 576, 1500),
    ...maybe('subnetSelection', ipv4('192.168.77.0')),
    messageType: [1, 1, 1, 3, 3, 3, 4, 7, 8][random(9)] ?? 1,
  };
  const header: Partial<DhcpPacket> = {
    hardwareAddress: Uint8Array.of(2, 0, 0x5e, 0x11, 0, machine, ...new Uint8Array(10)),
    broadcast: random(2) === 0,
    ...maybe('giaddr', ipv4('192.168.77.254'), ipv4('10.1.0.1')),
    ...(random(4) === 0 ? { ciaddr: own } : {}),
    ...(random(8) === 0 ? { bootFile: 'x', serverName: 'y' } : {}),
  };
  return packet(options, header);
}

async function sceneOf(mode: NetbootSettings['mode']) {
  let nowMs = 1_000_000;
  const due = new Set<() => void>();
  const schedule = (_: number, task: () => void) => {
    due.add(task);
    return () => void due.delete(task);
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule };
  const [thread, alone] = [createHeldThread(clock), createHeldThread(clock)];
  const socket = await alone.udp.open(
    { port: 67 },
    { onDatagram: () => undefined, onError: () => undefined },
  );
  let passed: string[] = [];
  let recorded: string[] = [];
  const report = (one: DhcpReport) => {
    if (one.kind !== 'packets') return;
    for (const each of one.packets)
      if ('reply' in each) recorded.push(bytesToHex(each.reply));
      else passed.push(bytesToHex(each.bytes));
    started.order({ kind: 'processed', count: one.packets.length });
  };
  const started = thread.start({ report, ended: (error) => assert.fail(error) });
  const dhcp = { networkInterfaces: [], address: '192.168.77.1', port: 67 };
  const netboot = { ...rackConfig().netboot, mode };
  started.order({ kind: 'start', dhcp, netboot });
  await settled();
  const missing = new Set<string>();
  const settings = {
    ...netboot,
    lacksBinary: (name: string, protocol: string) => missing.has(`${protocol} ${name}`),
  };
  for (const binary of BINARIES) started.order({ kind: 'binary', binary, isMissing: false });
  const reservations = new Map<Mac, Reservation>();

  return {
    /** Gives a machine another reservation or none, or adds or removes a boot file. */
    change(random: Random) {
      const binary = BINARIES[random(BINARIES.length)];
      if (random(3) === 0 && binary !== undefined) {
        const [key, isMissing] = [`${binary.protocol} ${binary.name}`, random(2) === 0];
        if (isMissing === missing.has(key)) return;
        if (isMissing) missing.add(key);
        else missing.delete(key);
        return started.order({ kind: 'binary', binary, isMissing });
      }
      const reservation = randomReservation(random);
      if (random(4) === 0 && reservations.delete(reservation.mac))
        return started.order({ kind: 'forget', macs: [reservation.mac] });
      reservations.set(reservation.mac, reservation);
      started.order({ kind: 'know', reservations: [reservation] });
    },
    /** What the general path does, without a memory of earlier packets. */
    expected(bytes: Uint8Array, port: Arrival['port']): string {
      const decoded = decodePacket(bytes);
      if (!decoded.ok) return 'passed';
      const [request, client] = [decoded.value, classifyClient(decoded.value)];
      const value = reservations.get(macFromBytes(bytes.subarray(28)) ?? ('' as Mac));
      if (value === undefined || client.mac !== value.mac) return 'passed';
      const arrival = { port, localAddresses: [] };
      const decision = replyTo({ request, client, reservation: { ok: true, value }, settings, arrival });
      if (decision.kind !== 'reply') return 'passed';
      const sent = sendReply({ arrival, socket }, { request, reply: decision.reply, peer: PEER });
      return sent.kind === 'sent' ? `${alone.sent.at(-1)?.to} ${bytesToHex(sent.bytes)}` : 'passed';
    },
    /** What the thread does. */
    async outcome(bytes: Uint8Array, port: Arrival['port']): Promise<string> {
      nowMs += 1_000;
      [passed, recorded] = [[], []];
      const count = thread.sent.length;
      thread.receive(bytes, PEER, port === 'dhcp' ? 67 : 4011);
      await settled();
      for (const task of due) task();
      due.clear();
      await settled();
      const sent = thread.sent.slice(count).map((one) => ({ ...one, hex: bytesToHex(one.bytes) }));
      for (const hex of recorded) assert.equal(hex, sent[0]?.hex);
      for (const hex of passed) assert.equal(hex, bytesToHex(bytes));
      return [...passed.map(() => 'passed'), ...sent.map(({ to, hex }) => `${to} ${hex}`)].join(', ');
    },
  };
}

function randomReservation(random: Random): Reservation {
  const hardware = structuredClone(furtherMachine(random(MACHINES)));
  const [networkInterface] = hardware.spec?.interfaces ?? [];
  const dhcp = {
    ...networkInterface?.dhcp,
    hostname: 'x'.repeat(random(40)),
    name_servers: ['192.168.77.1', '192.168.77.2'].slice(random(3)),
    lease_time: random(2) * 600,
  };
  const netboot = { allowPXE: random(4) > 0, ...(random(3) === 0 ? { ipxe: { binary: 'own.efi' } } : {}) };
  const changed: Hardware = { ...hardware, spec: { interfaces: [{ dhcp, netboot }] } };
  const mac = dhcp.mac as Mac;
  const result = reservationFor([changed], mac);
  assert.ok(result.ok);
  return result.value;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
}
