import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePacket } from '@tinkerbell/dhcp';
import type { NetbootSettings } from '@tinkerbell/netboot';
import { peerOf, PlatformError } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { nodeFiles, nodeUdp } from '@tinkerbell/platform-node';
import type { Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { createBootMetrics } from '../../metrics.ts';
import { createHeldThread, type HeldThread } from '../../testing/held-thread.ts';
import { packet, UEFI } from '../../testing/packets.ts';
import {
  fixedView,
  furtherMachine,
  machine,
  rackConfig,
  recordingJournal,
  silentLog,
} from '../../testing/rack.ts';
import { createDhcp } from '../dhcp.ts';

const PEER = peerOf('0.0.0.0', 68);
const platform = { udp: nodeUdp, files: nodeFiles };
const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Scene {
  readonly thread: HeldThread;
  readonly counters: () => Readonly<Record<string, number>>;
  readonly events: () => readonly string[];
  readonly dhcp: ReturnType<typeof createDhcp>;
  /** Replaces the only Hardware. */
  readonly change: (hardware: Hardware | undefined) => void;
  readonly later: (ms: number) => Promise<void>;
  /** From now on, everything takes longer than a turn. */
  readonly slowDown: () => void;
  readonly ask: () => Promise<void>;
  readonly offers: () => readonly string[];
}

async function scene(
  netboot: Partial<NetbootSettings> = {},
  refuse?: Parameters<typeof createHeldThread>[1],
): Promise<Scene> {
  let now = 1_000_000;
  let stepMs = 0;
  let tasks: { atMs: number; task: () => void }[] = [];
  const clock = {
    nowMs: () => now,
    monotonicMs: () => (now += stepMs),
    schedule(delayMs: number, task: () => void) {
      const one = { atMs: now + delayMs, task };
      tasks.push(one);
      return () => void (tasks = tasks.filter((each) => each !== one));
    },
  };
  const later = async (ms: number) => {
    now += ms;
    const due = tasks.filter(({ atMs }) => atMs <= now);
    tasks = tasks.filter(({ atMs }) => atMs > now);
    for (const { task } of due) task();
    await turn();
  };
  const set = new MetricSet();
  const journal = recordingJournal();
  const thread = createHeldThread(clock, refuse);
  let hardware = [machine()];
  let onChange: Parameters<View['onChange']>[0] = () => undefined;
  const view = {
    ...fixedView([]),
    hardwareByMac: (mac: string) => fixedView(hardware).hardwareByMac(mac),
    all: (collection: string) => fixedView(hardware).all(collection),
    onChange: (listener: Parameters<View['onChange']>[0]) => ((onChange = listener), () => undefined),
  };
  const deps = { ...platform, clock, journal, view, log: silentLog, startDhcpThread: thread.start };
  const config = rackConfig({ dhcp: { networkInterfaces: [], address: '192.168.77.1', port: 67 } });
  const dhcp = createDhcp(
    deps,
    { ...config, netboot: { ...config.netboot, ...netboot } },
    createBootMetrics(set),
  );
  await dhcp.start();
  return {
    thread,
    dhcp,
    counters: () => samplesOf(set),
    events: () => journal.entries.map(({ event }) => event),
    change(next) {
      const [before] = hardware;
      hardware = next === undefined ? [] : [next];
      const key = { collection: 'hardware.tinkerbell.org', namespace: 'default', name: 'machine1' };
      const object = next ?? before ?? machine();
      onChange({ type: next === undefined ? 'deleted' : 'modified', key, revision: 2, object }, before);
    },
    later,
    slowDown: () => void (stepMs = 2),
    async ask() {
      thread.receive(packet(UEFI), PEER);
      await later(1_000);
    },
    offers: () =>
      thread.sent.map(({ bytes }) => {
        const decoded = decodePacket(bytes);
        return decoded.ok ? decoded.value.yiaddr : 'undecodable';
      }),
  };
}

test('a machine that the server knows is answered while the main thread is busy', async () => {
  const { thread, ask, offers, counters } = await scene();
  await ask();
  thread.hold();
  await ask();
  await ask();
  assert.deepEqual(offers(), ['192.168.77.10', '192.168.77.10', '192.168.77.10']);
  thread.release();
  assert.equal(counters()['dhcp_sent_total{type="offer"}'], 3);
  assert.equal(counters()['dhcp_total{op="recv",type="DHCPDISCOVER"}'], 3);
  assert.equal(counters()['dhcp_total{op="send",type="DHCPOFFER"}'], 3);
});

test('a machine that has not asked before is answered while the main thread is busy', async () => {
  const { thread, offers, later } = await scene();
  await later(0);
  thread.hold();
  thread.receive(packet({ messageType: 1 }), PEER);
  assert.deepEqual(offers(), ['192.168.77.10']);
});

test('what was answered before the end is in the timeline', async () => {
  const { thread, dhcp, events, later, slowDown } = await scene();
  await later(0);
  thread.receive(packet({ messageType: 1 }), PEER);
  thread.receive(packet({ messageType: 3 }), PEER);
  slowDown();
  await dhcp.stop();
  assert.deepEqual(events(), ['offer-sent', 'acknowledge-sent']);
});

test('a changed Hardware is known before its machine asks', async () => {
  const { thread, offers, later, change } = await scene();
  await later(0);
  change(machine({ ip: { address: '192.168.77.20' } }));
  change(machine({ ip: { address: '192.168.77.21' } }));
  await later(1_000);
  thread.hold();
  thread.receive(packet({ messageType: 1 }), PEER);
  assert.deepEqual(offers(), ['192.168.77.21']);
});

test('a machine stays known while its status changes', async () => {
  const { thread, offers, later, change } = await scene();
  const known = machine();
  change(known);
  await later(1_000);
  change({ ...known, status: { state: 'busy' } });
  thread.hold();
  thread.receive(packet({ messageType: 1 }), PEER);
  assert.deepEqual(offers(), ['192.168.77.10']);
});

test('every answer of a quiet machine is in its timeline, and one a second of a busy one', async () => {
  const { thread, ask, events, later, counters } = await scene();
  await ask();
  await ask();
  assert.deepEqual(events(), ['offer-sent', 'offer-sent']);
  for (let count = 0; count < 5; count++) thread.receive(packet(UEFI), PEER);
  await later(1_000);
  assert.deepEqual(events(), ['offer-sent', 'offer-sent', 'offer-sent']);
  assert.equal(counters()['dhcp_sent_total{type="offer"}'], 7);
});

test('a changed Hardware counts from the next packet', async () => {
  const { ask, offers, change, counters } = await scene();
  await ask();
  await ask();
  change(machine({ ip: { address: '192.168.77.20' } }));
  await ask();
  await ask();
  assert.deepEqual(offers(), ['192.168.77.10', '192.168.77.10', '192.168.77.20', '192.168.77.20']);
  change(undefined);
  await ask();
  assert.equal(offers().length, 4);
  assert.equal(counters()['dhcp_ignored_total{reason="no-hardware"}'], 1);
});

test('a MAC that another Hardware owns now is forgotten', async () => {
  const { ask, offers, change } = await scene();
  await ask();
  const other = machine({ ip: { address: '192.168.77.30' } });
  change({ ...other, metadata: { ...other.metadata, name: 'machine2' } });
  await ask();
  assert.deepEqual(offers(), ['192.168.77.10', '192.168.77.30']);
});

test('a MAC that its Hardware no longer names is forgotten', async () => {
  const { ask, offers, change, counters } = await scene();
  await ask();
  await ask();
  change({ ...furtherMachine(1), metadata: machine().metadata });
  await ask();
  assert.deepEqual(offers(), ['192.168.77.10', '192.168.77.10']);
  assert.equal(counters()['dhcp_ignored_total{reason="no-hardware"}'], 1);
});

test('a boot file that goes missing is no longer offered', async () => {
  let isMissing = false;
  const { ask, thread } = await scene({ lacksBinary: () => isMissing });
  const files = () =>
    thread.sent.map(({ bytes }) => {
      const decoded = decodePacket(bytes);
      return decoded.ok ? decoded.value.bootFile : '';
    });
  await ask();
  await ask();
  isMissing = true;
  await ask();
  await ask();
  await ask();
  assert.equal(files()[1], 'ipxe.efi');
  assert.ok(!files().slice(-1)[0]?.endsWith('ipxe.efi'), files().join(', '));
});

test('a client that asks too often is counted, and has one record a minute', async () => {
  const { thread, ask, later, counters, events } = await scene();
  await ask();
  for (let count = 0; count < 100; count++) thread.receive(packet(UEFI), PEER);
  await later(1_000);
  const ignored = counters()['dhcp_ignored_total{reason="too-many-requests"}'] ?? 0;
  assert.ok(ignored >= 70, `only ${ignored} were ignored`);
  assert.equal(events().filter((event) => event === 'request-ignored').length, 1);
});

test('packets that the main thread cannot process are counted, and not held for ever', async () => {
  const { thread, later, counters } = await scene();
  thread.hold();
  for (let count = 0; count < 5_000; count++) {
    const bytes = packet(UEFI);
    bytes.set([2, 0, 0, 1, count >> 8, count & 255], 28);
    thread.receive(bytes, PEER);
  }
  await later(1_000);
  thread.release();
  await later(1_000);
  assert.equal(counters()['dhcp_ignored_total{reason="server-busy"}'], 5_000 - 2_048);
  assert.equal(counters()['dhcp_ignored_total{reason="no-hardware"}'], 2_048);
});

test('a thread that ended is started again, and knows nothing of before', async () => {
  const { thread, ask, dhcp, later, offers, change } = await scene();
  await ask();
  assert.ok(dhcp.isRunning());
  thread.fail[0]?.();
  assert.ok(!dhcp.isRunning());
  change(machine({ ip: { address: '192.168.77.20' } }));
  await later(1_000);
  await turn();
  assert.ok(dhcp.isRunning());
  await ask();
  await ask();
  assert.deepEqual(offers(), ['192.168.77.10', '192.168.77.20', '192.168.77.20']);
});

test('the error of a port that cannot be opened arrives with its code and port', async () => {
  const port = { protocol: 'udp', number: 67 } as const;
  const refuse = () => {
    throw new PlatformError('address-in-use', 'UDP port 67 is in use', { port });
  };
  await assert.rejects(scene({}, refuse), (error) => {
    assert.ok(error instanceof PlatformError);
    assert.deepEqual(
      [error.code, error.message, error.port],
      ['address-in-use', 'UDP port 67 is in use', port],
    );
    return true;
  });
});
