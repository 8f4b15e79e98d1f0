/** Whatever packets arrive, two threads send and count the same as one, and record the same answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddressPool, type NetbootSettings } from '@tinkerbell/netboot';
import { peerOf } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { nodeFiles } from '@tinkerbell/platform-node';
import { bytesToHex } from '@tinkerbell/wire';
import { createBootMetrics } from '../../metrics.ts';
import { createHeldThread, type HeldThread } from '../../testing/held-thread.ts';
import { createRandom, mutated, seedPackets } from '../../testing/packet-mutator.ts';
import {
  createMemoryBook,
  fixedView,
  furtherMachine,
  machine,
  rackConfig,
  recordingJournal,
  silentLog,
} from '../../testing/rack.ts';
import { createDhcp } from '../dhcp.ts';

const COUNT = 3_000;
const pool = parseAddressPool('192.168.77.100-192.168.77.150/24,gateway=192.168.77.1');
const modes: readonly Partial<NetbootSettings>[] = [
  {},
  { mode: 'proxy' },
  { mode: 'auto-proxy' },
  { pools: pool.ok ? [pool.value] : [], poolNetboot: true },
];

for (const mode of modes)
  test(`with ${mode.mode ?? (mode.pools === undefined ? 'reservations' : 'pools')}`, async (context) => {
    const seed = process.hrtime()[1];
    context.diagnostic(`seed ${seed}`);
    assert.deepEqual(await outcome(mode, seed, true), await outcome(mode, seed, false));
  });

async function outcome(mode: Partial<NetbootSettings>, seed: number, hasThread: boolean) {
  let now = 1_700_000_000_000;
  let tasks: (() => void)[] = [];
  const clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    schedule(_: number, task: () => void) {
      tasks.push(task);
      return () => void (tasks = tasks.filter((one) => one !== task));
    },
  };
  const set = new MetricSet();
  const journal = recordingJournal();
  const thread = createHeldThread(clock);
  const alone = createHeldThread(clock);
  const config = rackConfig({ dhcp: { networkInterfaces: [], address: '192.168.77.1', port: 67 } });
  const deps = {
    udp: alone.udp,
    files: nodeFiles,
    clock,
    journal,
    log: silentLog,
    view: fixedView([machine(), furtherMachine(0)]),
    leases: createMemoryBook(),
    probe: { holderOf: async () => undefined },
    ...(hasThread ? { startDhcpThread: thread.start } : {}),
  };
  const netboot = { ...config.netboot, ...mode };
  const dhcp = createDhcp(deps, { ...config, netboot }, createBootMetrics(set));
  await dhcp.start();
  const used: HeldThread = hasThread ? thread : alone;
  const [random, seeds] = [createRandom(seed), seedPackets()];
  for (let index = 0; index < COUNT; index++) {
    used.receive(mutated(seeds, random), peerOf('192.168.77.50', 68));
    // A pool answers a few turns later.
    for (let turn = 0; turn < 4; turn++) await new Promise((turned) => setImmediate(turned));
    for (const task of tasks.splice(0)) task();
    now += random(500);
  }
  await dhcp.stop();
  const sent = used.sent.map(({ bytes, to }) => `${to} ${bytesToHex(bytes)}`);
  assert.ok(
    sent.length > COUNT / 500,
    `only ${sent.length} answers: the packets are too broken to be a test`,
  );
  // Gates choose which further records are written, and those of two threads begin their seconds at different times.
  const answers = journal.entries
    .filter(({ event }) => event.endsWith('-sent'))
    .map(({ event, machine: mac, details }) => `${mac} ${event} ${String(details?.['file'])}`);
  return { sent, counters: samplesOf(set), answers: [...new Set(answers)].toSorted() };
}
