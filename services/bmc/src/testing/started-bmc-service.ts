/** The BMC controller on a memory store, with a simulated BMC and a clock that moves only while a test waits. */
import assert from 'node:assert/strict';
import type { Clock, Service } from '@tinkerbell/platform-contract';
import { createNodeLog, nodeRandom } from '@tinkerbell/platform-node';
import { BmcConnections, type Drivers } from '@tinkerbell/engine-bmc';
import type { Hardware, BmcJob, BmcMachine, BmcTask, Resource } from '@tinkerbell/resources';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { createBmcEventReceiver, createBmcService } from '../index.ts';
import type { SimulatedBmc } from './simulated-bmc.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const apiVersion = 'bmc.tinkerbell.org/v1alpha1';
const HOUR_MS = 3_600_000;
const collections: Readonly<Record<string, string>> = {
  Machine: 'machines.bmc.tinkerbell.org',
  Job: 'jobs.bmc.tinkerbell.org',
  Task: 'tasks.bmc.tinkerbell.org',
  Hardware: 'hardware.tinkerbell.org',
  Secret: 'secrets',
};
export const mac = '52:54:00:00:00:01';

/** Time moves from one scheduled task to the next, and only in `next`. */
function steppedClock() {
  let now = 1_700_000_000_000;
  let tasks: { at: number; task: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    schedule(delayMs, task) {
      const entry = { at: now + delayMs, task };
      tasks.push(entry);
      return () => {
        tasks = tasks.filter((one) => one !== entry);
      };
    },
  };
  const next = (): void => {
    const [first] = tasks.toSorted((one, other) => one.at - other.at);
    if (first === undefined) return;
    tasks = tasks.filter((one) => one !== first);
    now = Math.max(now, first.at);
    first.task();
  };
  return { clock, next };
}

export async function startedBmcService(
  bmc: SimulatedBmc,
  driversOf: (clock: Clock) => Drivers = () => ({ ipmitool: bmc.driver() }),
  eventsUrl?: string,
) {
  const time = steppedClock();
  const drivers = driversOf(time.clock);
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: time.clock, log });
  const view = createStoreView({ store, clock: time.clock, log });
  const following = new AbortController();
  await view.start(following.signal);
  const keyOf = (kind: string, name: string) => ({
    collection: collections[kind] ?? '',
    namespace: 'lab',
    name,
  });

  async function create(kind: string, name: string, fields: object): Promise<void> {
    const object: Resource = {
      apiVersion,
      kind,
      metadata: { name, namespace: 'lab', uid: `uid-${kind}-${name}-${time.clock.nowMs()}` },
      ...fields,
    };
    const result = await store.commit([{ operation: 'create', key: keyOf(kind, name), object }]);
    assert.ok(result.ok, result.ok ? '' : result.message);
  }
  async function get<Object extends Resource>(kind: string, name: string): Promise<Object | undefined> {
    return (await store.get(keyOf(kind, name)))?.object as Object | undefined;
  }
  /** Runs until the condition holds. Time moves by at most an hour. */
  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const endMs = time.clock.nowMs() + HOUR_MS;
    while (time.clock.nowMs() < endMs) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      if (await holds()) return;
      time.next();
    }
    assert.fail(`not within an hour: ${what}`);
  }
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  await create('Secret', 'bmc-login', { data: { username: base64('admin'), password: base64('secret') } });
  const connection = {
    host: '192.0.2.9',
    insecureTLS: true,
    authSecretRef: { name: 'bmc-login', namespace: 'lab' },
  };
  await create('Hardware', 'h', {
    spec: { bmcRef: { kind: 'Machine', name: 'm' }, interfaces: [{ dhcp: { mac } }] },
  });
  await create('Machine', 'm', { spec: { connection } });

  const running = new Map<Service, AbortController>();
  async function start(): Promise<Service> {
    const connections = new BmcConnections({
      store,
      clock: time.clock,
      drivers,
      trustOf: () => ({ kind: 'any' }),
      timeoutMs: 1000,
    });
    const deps = { store, view, journal, clock: time.clock, random: nodeRandom, log, connections };
    const service = createBmcService(deps, {
      powerCheckMs: 1_800_000,
      inventoryMs: 86_400_000,
      pinsFirstCertificate: true,
      eventsUrl,
      atOnce: 8,
    });
    const stopping = new AbortController();
    running.set(service, stopping);
    await service.start(stopping.signal);
    return service;
  }
  async function stop(service: Service): Promise<void> {
    running.get(service)?.abort();
    running.delete(service);
    await service.stopped();
  }
  return {
    store,
    create,
    start,
    receiver: () => createBmcEventReceiver({ view, journal, clock: time.clock }),
    stop,
    until,
    connection,
    nowMs: () => time.clock.nowMs(),
    machine: () => get<BmcMachine>('Machine', 'm'),
    hardware: () => get<Hardware>('Hardware', 'h'),
    job: (name: string) => get<BmcJob>('Job', name),
    task: (name: string) => get<BmcTask>('Task', name),
    createJob: (name: string, ...tasks: readonly object[]) =>
      create('Job', name, { spec: { machineRef: { name: 'm', namespace: 'lab' }, tasks } }),
    timeline: async () =>
      (await journal.read({ after: 0, machines: [mac] })).map(({ event, message }) => ({ event, message })),
    records: () => journal.read({ after: 0, machines: [mac] }),
    async [Symbol.asyncDispose]() {
      for (const service of running.keys()) await stop(service);
      following.abort();
      await journal.close();
    },
  };
}
