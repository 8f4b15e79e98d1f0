import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Hardware, Resource } from '@tinkerbell/resources';
import type { Store, WatchHandlers } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from './index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const eagerClock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  schedule(_delay, task) {
    const timer = setImmediate(task);
    return () => clearImmediate(timer);
  },
};

function hardwareOf(name: string, mac: string, address: string): Resource {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default' },
    spec: { interfaces: [{ dhcp: { mac, ip: { address } } }] },
  };
}

function workflowOf(name: string, created: string, agentID: string): Resource {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default', creationTimestamp: created },
    spec: { hardwareRef: 'm1' },
    status: { agentID },
  };
}

const keyOf = (object: Resource) => ({
  collection: object.kind === 'Hardware' ? 'hardware.tinkerbell.org' : 'workflows.tinkerbell.org',
  namespace: object.metadata.namespace,
  name: object.metadata.name,
});

async function put(store: Store, object: Resource): Promise<void> {
  const key = keyOf(object);
  const current = await store.get(key);
  const write =
    current === undefined
      ? ({ operation: 'create', key, object } as const)
      : ({ operation: 'update', key, object, expectedRevision: current.revision } as const);
  assert.ok((await store.commit([write])).ok);
}

async function started(store: Store, clock = eagerClock) {
  const view = createStoreView({ store, clock, log: silent });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  return { view, stop: () => stopping.abort() };
}

test('finds Hardware by MAC in any case and by address, and forgets both when they change', async () => {
  const store = createMemoryStore();
  await put(store, hardwareOf('m1', '52:54:00:00:00:01', '10.0.0.1'));
  const { view, stop } = await started(store);
  assert.equal(view.hardwareByMac('52:54:00:00:00:01').length, 1);
  await put(store, hardwareOf('m1', '52:54:00:00:00:0a', '10.0.0.2'));
  assert.equal(view.hardwareByMac('52:54:00:00:00:01').length, 0);
  assert.equal(view.hardwareByMac('52:54:00:00:00:0A')[0]?.metadata.name, 'm1');
  assert.equal(view.hardwareByIp('10.0.0.1').length, 0);
  assert.equal(view.hardwareByIp('10.0.0.2').length, 1);
  stop();
});

test('finds a Machine of a BMC by its name, and forgets it when it is deleted', async () => {
  const store = createMemoryStore();
  const key = { collection: 'machines.bmc.tinkerbell.org', namespace: 'lab', name: 'bmc' };
  const object: Resource = {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Machine',
    metadata: { name: 'bmc', namespace: 'lab' },
    spec: { connection: { host: '192.0.2.9', insecureTLS: true } },
  };
  assert.ok((await store.commit([{ operation: 'create', key, object }])).ok);
  const { view, stop } = await started(store);
  assert.equal(view.bmcMachineNamed('lab', 'bmc')?.spec?.connection.host, '192.0.2.9');
  assert.equal(view.bmcMachineNamed('default', 'bmc'), undefined);
  const { revision: expectedRevision = 0 } = (await store.get(key)) ?? {};
  assert.ok((await store.commit([{ operation: 'delete', key, expectedRevision }])).ok);
  assert.equal(view.bmcMachineNamed('lab', 'bmc'), undefined);
  stop();
});

test('finds all Hardware with an instance id, as long as it has that, and none without an id', async () => {
  const store = createMemoryStore();
  const withId = (name: string, id: string) => {
    const hardware = hardwareOf(name, `52:54:00:00:00:0${name.at(-1)}`, `10.0.0.${name.at(-1)}`);
    return { ...hardware, spec: { ...(hardware['spec'] as object), metadata: { instance: { id } } } };
  };
  await put(store, withId('m1', 'i-1'));
  const { view, stop } = await started(store);
  await put(store, withId('m2', 'i-1'));
  await put(store, hardwareOf('m3', '52:54:00:00:00:03', '10.0.0.3'));
  const names = (id: string) => view.hardwareByInstanceId(id).map(({ metadata }) => metadata.name);
  assert.deepEqual(names('i-1'), ['m1', 'm2']);
  assert.deepEqual(names(''), []);
  await put(store, withId('m1', 'i-2'));
  assert.deepEqual([names('i-1'), names('i-2')], [['m2'], ['m1']]);
  stop();
});

test('finds Hardware by the id of its agent, and none without an id', async () => {
  const store = createMemoryStore();
  const hardware = hardwareOf('m1', '52:54:00:00:00:01', '10.0.0.1');
  await put(store, { ...hardware, spec: { ...(hardware['spec'] as object), agentID: 'rack-1-node-1' } });
  await put(store, hardwareOf('m2', '52:54:00:00:00:02', '10.0.0.2'));
  const { view, stop } = await started(store);
  assert.deepEqual(
    view.hardwareByAgent('rack-1-node-1').map(({ metadata }) => metadata.name),
    ['m1'],
  );
  assert.deepEqual(view.hardwareByAgent(''), []);
  assert.deepEqual(view.hardwareByAgent('52:54:00:00:00:01'), []);
  stop();
});

test('a MAC, an address and an agent id belong to the Hardware that was created first, until it gives them up', async () => {
  const store = createMemoryStore();
  const [mac, address] = ['52:54:00:00:00:01', '10.0.0.1'];
  const late = hardwareOf('a', mac, address);
  await put(store, { ...late, metadata: { ...late.metadata, creationTimestamp: '2026-01-02T00:00:00Z' } });
  const { view, stop } = await started(store);
  const early = hardwareOf('z', mac, address);
  await put(store, { ...early, metadata: { ...early.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } });
  const names = (found: readonly Resource[]) => found.map(({ metadata }) => metadata.name);
  assert.deepEqual(names(view.hardwareByMac(mac)), ['z']);
  assert.deepEqual(names(view.hardwareByIp(address)), ['z']);
  const thief = { ...hardwareOf('t', '52:54:00:00:00:09', '10.0.0.9'), spec: { agentID: mac } };
  await put(store, { ...thief, metadata: { ...thief.metadata, creationTimestamp: '2026-01-03T00:00:00Z' } });
  assert.deepEqual(view.hardwareByAgent(mac), []);
  await put(store, {
    ...early,
    spec: {},
    metadata: { ...early.metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
  });
  assert.deepEqual(names(view.hardwareByMac(mac)), ['a']);
  stop();
});

test('an agent gets no workflow from another namespace than its machine’s, unless that is allowed', async () => {
  const store = createMemoryStore();
  const { view, stop } = await started(store);
  const agent = '52:54:00:00:00:01';
  const elsewhere = workflowOf('foreign', '2026-01-01T00:00:00Z', agent);
  await put(store, { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'lab' } });
  assert.equal(view.workflowsByAgent(agent).length, 1, 'a machine that nobody has registered');
  await put(store, hardwareOf('m1', agent, '10.0.0.1'));
  assert.deepEqual(view.workflowsByAgent(agent), []);
  const annotations = { 'tinkerbell.org/use-hardware': 'default/m1' };
  await put(store, { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'lab', annotations } });
  assert.equal(view.workflowsByAgent(agent).length, 1);
  stop();
});

test('returns the workflows of an agent oldest first, and reports changes after applying them', async () => {
  const store = createMemoryStore();
  const { view, stop } = await started(store);
  const seen: number[] = [];
  const before: (string | undefined)[] = [];
  view.onChange((_, one) => {
    seen.push(view.workflowsByAgent('agent').length);
    before.push(one?.metadata.resourceVersion);
  });
  await put(store, workflowOf('new', '2026-01-02T00:00:00Z', 'agent'));
  await put(store, workflowOf('old', '2026-01-01T00:00:00Z', 'agent'));
  assert.deepEqual(
    view.workflowsByAgent('agent').map((one) => one.metadata.name),
    ['old', 'new'],
  );
  assert.equal(view.workflowsByHardware('default', 'm1').length, 2);
  await put(store, workflowOf('new', '2026-01-02T00:00:00Z', 'agent'));
  assert.deepEqual(
    [seen, before],
    [
      [1, 2, 2],
      [undefined, undefined, '1'],
    ],
  );
  stop();
});

test('lists again after its watch ended, answers all the while, and reports how long it is behind', async () => {
  let nowMs = 0;
  const clock: Clock = { ...eagerClock, monotonicMs: () => nowMs };
  const inner = createMemoryStore();
  const handlers: WatchHandlers[] = [];
  const breakable: Store = Object.assign(Object.create(inner) as Store, {
    get: inner.get.bind(inner),
    list: inner.list.bind(inner),
    revision: inner.revision.bind(inner),
    watch(query: Parameters<Store['watch']>[0], given: WatchHandlers) {
      handlers.push(given);
      return handlers.length === 1
        ? Promise.resolve({ ok: true as const, stop() {} })
        : inner.watch(query, given);
    },
  });
  await put(inner, hardwareOf('m1', '52:54:00:00:00:01', '10.0.0.1'));
  await put(inner, hardwareOf('same', '52:54:00:00:00:03', '10.0.0.3'));
  await put(inner, hardwareOf('over', '52:54:00:00:00:04', '10.0.0.4'));
  const { view, stop } = await started(breakable, clock);
  const changes: string[] = [];
  const addressIn = (one: Resource | undefined) =>
    (one as Hardware | undefined)?.spec?.interfaces?.[0]?.dhcp?.ip?.address;
  view.onChange(({ type, key }, before) => changes.push(`${type} ${key.name} from ${addressIn(before)}`));
  assert.equal(view.brokenForMs(), 0);
  await put(inner, hardwareOf('m2', '52:54:00:00:00:02', '10.0.0.2'));
  await put(inner, hardwareOf('m1', '52:54:00:00:00:01', '10.0.0.9'));
  const key = keyOf(hardwareOf('over', '', ''));
  const { revision: expectedRevision = 0 } = (await inner.get(key)) ?? {};
  assert.ok((await inner.commit([{ operation: 'delete', key, expectedRevision }])).ok);
  assert.equal(view.hardwareByMac('52:54:00:00:00:02').length, 0);
  handlers[0]?.onEnd('connection lost');
  assert.equal(view.hardwareByMac('52:54:00:00:00:01').length, 1);
  await Promise.resolve();
  nowMs = 7_000;
  assert.equal(view.brokenForMs(), 7_000);
  while (view.hardwareByMac('52:54:00:00:00:02').length === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(view.brokenForMs(), 0);
  assert.deepEqual(changes, [
    'modified m1 from 10.0.0.1',
    'added m2 from undefined',
    'deleted over from 10.0.0.4',
  ]);
  stop();
});
