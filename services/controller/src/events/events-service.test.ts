import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeRandom } from '@tinkerbell/platform-node';
import type { Event, Resource } from '@tinkerbell/resources';
import type { JournalEntry } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { createEventsService } from '../index.ts';

const mac = '52:54:00:00:00:01';
const log = createNodeLog({ level: 'silent', format: 'json' });

function object(kind: string, name: string, fields: object): Resource {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind,
    metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
    ...fields,
  };
}

async function started() {
  let nowMs = Date.parse('2026-01-02T03:04:05.678Z');
  const tasks: { readonly atMs: number; readonly task: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, task) {
      const entry = { atMs: nowMs + delayMs, task };
      tasks.push(entry);
      return () => void tasks.splice(tasks.indexOf(entry), 1);
    },
  };
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock, log });
  const view = createStoreView({ store, clock, log });
  const stopping = new AbortController();
  for (const [collection, one] of [
    ['workflows.tinkerbell.org', object('Workflow', 'w', {})],
    ['hardware.tinkerbell.org', object('Hardware', 'h', { spec: { interfaces: [{ dhcp: { mac } }] } })],
    ['hardware.tinkerbell.org', object('Hardware', 'i', { spec: { interfaces: [{ dhcp: { mac } }] } })],
  ] as const) {
    const key = { collection, namespace: 'default', name: one.metadata.name };
    assert.ok((await store.commit([{ operation: 'create', key, object: one }])).ok);
  }
  await view.start(stopping.signal);
  const service = createEventsService(
    { store, view, journal, clock, random: nodeRandom, log },
    { sweeps: true },
  );
  await service.start(stopping.signal);
  const events = async (): Promise<readonly Event[]> => {
    const { items } = await store.list({ collection: 'events' });
    return items.map((item) => item.object as Event);
  };
  return {
    store,
    service,
    events,
    counters: () => samplesOf(service.metrics),
    async happens(...entries: readonly JournalEntry[]): Promise<readonly Event[]> {
      for (const entry of entries) journal.append(entry);
      await journal.read({ after: 0, limit: 1 });
      // A commit in memory takes a few turns.
      for (let turn = 0; turn < 50 * entries.length; turn++) await new Promise(setImmediate);
      return events();
    },
    async advance(ms: number): Promise<void> {
      nowMs += ms;
      for (const due of tasks.filter(({ atMs }) => atMs <= nowMs)) {
        tasks.splice(tasks.indexOf(due), 1);
        due.task();
      }
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await service.stopped();
      await journal.close();
    },
  };
}

const failed: JournalEntry = {
  source: 'agent',
  event: 'action-failed',
  workflow: 'default/w',
  machine: mac,
  message: 'survey / look failed: no disk',
};

test('a failed action is an Event of its workflow; the same again is counted', async () => {
  await using server = await started();
  await server.happens(failed);
  await server.advance(60_000);
  const [event, ...others] = await server.happens(failed);
  assert.deepEqual(others, []);
  const { metadata, ...rest } = event ?? assert.fail('no event');
  assert.match(metadata.name, /^w\.[0-9a-f]{16}$/);
  assert.match(metadata.uid ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Workflow',
      name: 'w',
      namespace: 'default',
      uid: 'uid-of-w',
      resourceVersion: '1',
    },
    reason: 'ActionFailed',
    message: 'survey / look failed: no disk',
    type: 'Warning',
    source: { component: 'tinkerbell-workflows' },
    firstTimestamp: '2026-01-02T03:04:05Z',
    lastTimestamp: '2026-01-02T03:05:05Z',
    count: 2,
  });
});

test('states of a workflow are Events, single actions that succeed are none', async () => {
  await using server = await started();
  const changed = (to: string): JournalEntry => ({
    source: 'workflow',
    event: 'state-changed',
    workflow: 'default/w',
    message: `workflow is ${to}`,
    details: { from: '', to },
  });
  const events = await server.happens(
    changed('PENDING'),
    { ...failed, event: 'action-succeeded' },
    { ...failed, event: 'action-served' },
    changed('FAILED'),
  );
  assert.deepEqual(events.map(({ reason, type }) => `${type} ${reason}`).toSorted(), [
    'Normal Rendered',
    'Warning Failed',
  ]);
});

test('a packet is an Event of the Hardware that owns its MAC, one of an unknown machine of none', async () => {
  await using server = await started();
  const ignored = (reason: string, machine = mac): JournalEntry => ({
    source: 'dhcp',
    event: 'request-ignored',
    machine,
    message: `discover ignored: ${reason}`,
    details: { reason },
  });
  const events = await server.happens(
    ignored('several-hardware'),
    ignored('not-a-netboot-client'),
    ignored('several-hardware', '52:54:00:00:00:09'),
  );
  assert.deepEqual(
    events.map(({ reason, involvedObject }) => `${reason} ${involvedObject.name}`).toSorted(),
    ['BootRefused h'],
  );
});

test('an object that fails all the time gets 25 Events, then one in five minutes', async () => {
  await using server = await started();
  const one = (index: number): JournalEntry => ({ ...failed, message: `failed ${index}` });
  const events = await server.happens(...Array.from({ length: 40 }, (_, index) => one(index)));
  assert.equal(events.length, 25);
  assert.equal(server.counters()['kubernetes_events_dropped_total{reason="limit"}'], 15);
  await server.advance(300_000);
  assert.equal((await server.happens(one(41), one(42))).length, 26);
});

test('a store that takes nothing costs Events, and nothing else', async () => {
  await using server = await started();
  const commit = server.store.commit.bind(server.store);
  server.store.commit = () => Promise.reject(new Error('away'));
  await server.happens(failed);
  server.store.commit = commit;
  assert.equal(server.counters()['kubernetes_events_dropped_total{reason="store"}'], 1);
  assert.equal((await server.happens({ ...failed, message: 'later' })).length, 1);
  assert.equal(server.counters()['kubernetes_events_written_total'], 1);
});

test('Events go an hour after they were seen last', async () => {
  await using server = await started();
  await server.happens(failed);
  await server.advance(3_000_000);
  assert.equal((await server.happens(failed)).length, 1);
  await server.advance(3_300_000);
  assert.equal((await server.events()).length, 1, 'it was seen 55 minutes ago');
  await server.advance(300_000);
  assert.equal((await server.events()).length, 0);
  assert.equal((await server.happens(failed))[0]?.count, 1);
});

test('a machine that is not registered is an Event about the Hardware that it is to have', async () => {
  await using server = await started();
  const message = '08:00:27:00:00:09 asks to boot; register it with: tink hardware accept 08:00:27:00:00:09';
  const [event] = await server.happens({
    source: 'dhcp',
    event: 'machine-unknown',
    machine: '08:00:27:00:00:09',
    message,
  });
  assert.deepEqual(
    [event?.reason, event?.type, event?.message, event?.involvedObject.kind, event?.involvedObject.name],
    ['MachineUnknown', 'Warning', message, 'Hardware', 'machine-08-00-27-00-00-09'],
  );
});
