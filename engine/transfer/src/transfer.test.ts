/** Tests transfers from memory to SQLite to PostgreSQL, interrupted at any point and resumed. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import type { Resource } from '@tinkerbell/resources';
import { startPostgres, type Postgres } from '@tinkerbell/sandbox/postgres';
import type { LeaseBook, RestorableJournal, Store } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryLeaseBook, createMemoryStore } from '@tinkerbell/store-memory';
import { openPostgresJournal, openPostgresLeaseBook, openPostgresStore } from '@tinkerbell/store-postgres';
import { openSqliteLeaseBook, openSqliteStore } from '@tinkerbell/store-sqlite';
import { transfer, TransferRefusal, type TransferPlace } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const cleanup = new AsyncDisposableStack();
after(() => cleanup.disposeAsync());

type FullPlace = TransferPlace & { readonly journal: RestorableJournal; readonly leases: LeaseBook };

function memoryPlace(): FullPlace {
  return {
    name: 'memory',
    store: cleanup.use(createMemoryStore()),
    journal: cleanup.use(openSqliteJournal({ path: ':memory:', clock: nodeClock, log })),
    leases: cleanup.use(createMemoryLeaseBook()),
  };
}

function sqlitePlace(): FullPlace {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-transfer-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tinkerbell.db');
  return {
    name: `sqlite:${folder}`,
    store: cleanup.use(openSqliteStore({ path, log })),
    journal: cleanup.use(openSqliteJournal({ path, clock: nodeClock, log })),
    leases: cleanup.use(openSqliteLeaseBook({ path })),
  };
}

let postgres: Promise<Postgres> | undefined;
let databases = 0;

async function postgresPlace(): Promise<FullPlace> {
  postgres ??= startPostgres().then((started) => {
    cleanup.use(started);
    return started;
  });
  databases += 1;
  const options = { url: await (await postgres).database(`transfer_${databases}`), clock: nodeClock, log };
  return {
    name: `postgres ${databases}`,
    store: cleanup.use(await openPostgresStore(options)),
    journal: cleanup.use(await openPostgresJournal(options)),
    leases: cleanup.use(await openPostgresLeaseBook(options)),
  };
}

function objectOf(
  kind: string,
  name: string,
  more: Omit<Partial<Resource>, 'metadata'> & { metadata?: object } = {},
): Resource {
  const metadata = { name, namespace: 'lab', uid: `uid-${name}`, creationTimestamp: '2026-01-02T03:04:05Z' };
  const apiVersion = 'tinkerbell.org/v1alpha1';
  return { apiVersion, kind, ...more, metadata: { ...metadata, ...more.metadata } };
}

async function put(store: Store, collection: string, object: Resource): Promise<void> {
  const { namespace, name } = object.metadata;
  const result = await store.commit([{ operation: 'create', key: { collection, namespace, name }, object }]);
  assert.ok(result.ok);
}

function workflowOf(name: string, state: string): Resource {
  const owner = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', name: 'm1', uid: 'uid-m1' };
  return objectOf('Workflow', name, {
    metadata: {
      labels: { a: 'b' },
      annotations: { note: 'ü' },
      finalizers: ['example.org/x'],
      ownerReferences: [owner],
      generation: 3,
    },
    spec: { templateRef: 't' },
    status: { state: 'RUNNING', tasks: [{ name: 't', actions: [{ name: 'one', state }] }] },
  });
}

async function filled(place: FullPlace, { state = 'SUCCESS' } = {}): Promise<FullPlace> {
  const { store, journal, leases } = place;
  for (let index = 0; index < 450; index += 1)
    await put(store, 'hardware.tinkerbell.org', objectOf('Hardware', `m${index}`, { spec: { disks: [] } }));
  await put(store, 'workflows.tinkerbell.org', workflowOf('w', state));
  const definition = objectOf('CustomResourceDefinition', 'racks.example.org', {
    metadata: { namespace: '' },
  });
  await put(store, 'customresourcedefinitions.apiextensions.k8s.io', definition);
  await put(store, 'racks.example.org', objectOf('Rack', 'r1'));
  for (let index = 0; index < 2_100; index += 1) {
    const event = ['action-output', 'action-started', 'write-answered'][index % 3] ?? '';
    journal.append({ source: 'agent', event, message: String(index), workflow: 'lab/w' });
  }
  await leases.write({ address: '10.0.0.1', mac: '02:00:5e:10:00:01', state: 'leased', untilMs: 5 });
  return place;
}

async function contentOf({ store, journal, leases }: FullPlace) {
  const objects = [];
  for (const collection of ['hardware', 'workflows', 'templates'].map((one) => `${one}.tinkerbell.org`))
    for (const { object } of (await store.list({ collection })).items) {
      const { resourceVersion: _revision, ...metadata } = object.metadata;
      objects.push({ ...object, metadata });
    }
  const events = ['action-output', 'action-started', 'write-answered'];
  const rack = await store.get({ collection: 'racks.example.org', namespace: 'lab', name: 'r1' });
  return {
    objects,
    rack: rack?.object.metadata.uid,
    records: await journal.read({ after: 0, events }),
    leases: await leases.load(),
    configMaps: (await store.list({ collection: 'configmaps' })).items.length,
  };
}

test('everything but the resourceVersion is the same after memory, SQLite and PostgreSQL', async () => {
  const places = [await filled(memoryPlace()), sqlitePlace(), await postgresPlace(), sqlitePlace()] as const;
  const content = await contentOf(places[0]);
  assert.deepEqual([content.objects.length, content.records.length, content.rack], [451, 2_100, 'uid-r1']);
  for (const [index, from] of places.entries()) {
    const to = places[index + 1];
    if (to === undefined) continue;
    const report = await transfer({ from, to });
    assert.deepEqual([report.objects, report.records, report.leases], [453, 2_100, 1]);
    assert.deepEqual(await contentOf(to), content);
  }
});

/** Counts each write of any kind. The one after the last allowed write fails, before or after it is performed. */
function failing(place: FullPlace, allowed: number, isDone: boolean): FullPlace {
  let left = allowed;
  const guarded =
    <Arguments extends unknown[], Value>(write: (...words: Arguments) => Promise<Value>) =>
    async (...words: Arguments): Promise<Value> => {
      left -= 1;
      if (left >= 0) return write(...words);
      if (isDone) await write(...words);
      throw new Error('killed');
    };
  const { store, journal, leases } = place;
  return {
    ...place,
    store: proxied(
      store,
      'commit',
      guarded((writes: Parameters<Store['commit']>[0]) => store.commit(writes)),
    ),
    journal: proxied(
      journal,
      'restore',
      guarded((records: Parameters<RestorableJournal['restore']>[0]) => journal.restore(records)),
    ),
    leases: proxied(
      leases,
      'write',
      guarded((lease: Parameters<LeaseBook['write']>[0]) => leases.write(lease)),
    ),
  };
}

function proxied<Value extends object, Name extends keyof Value>(
  target: Value,
  name: Name,
  instead: Value[Name],
) {
  return new Proxy(target, {
    get(_target, asked) {
      if (asked === name) return instead;
      const value: unknown = Reflect.get(target, asked, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

for (const [backend, open, step] of [
  ['SQLite', () => Promise.resolve(sqlitePlace()), 1],
  // Creating a database each time takes long.
  ['PostgreSQL', postgresPlace, 3],
] as const)
  test(`killed after any number of writes to ${backend}, a further run ends with the same result`, async () => {
    const from = await filled(memoryPlace());
    const content = await contentOf(from);
    let killed = 0;
    for (let allowed = 0; ; allowed += step) {
      const to = await open();
      const ends = await transfer({ from, to: failing(to, allowed, allowed % 2 === 1) }).then(
        () => true,
        (thrown: unknown) => {
          assert.match(String(thrown), /killed/);
          return false;
        },
      );
      if (ends) break;
      killed += 1;
      // Interrupts it again in the middle of the rest.
      await transfer({ from, to: failing(to, 2, true) }).catch(() => undefined);
      const isUnfinished = (await to.store.list({ collection: 'configmaps' })).items.length > 0;
      if (isUnfinished) assert.equal((await transfer({ from, to })).isResumed, true);
      assert.deepEqual(await contentOf(to), content);
    }
    assert.ok(killed > 3, `only ${killed} places to be killed at`);
  });

const refused = (message: RegExp) => (thrown: unknown) =>
  thrown instanceof TransferRefusal && message.test(`${thrown.message}; ${thrown.advice}`);

test('a target that has data, has part of another migration, or was changed meanwhile is refused', async () => {
  const from = await filled(memoryPlace());
  const full = sqlitePlace();
  await put(full.store, 'hardware.tinkerbell.org', objectOf('Hardware', 'other'));
  await assert.rejects(transfer({ from, to: full }), refused(/not empty: it has hardware.* lab\/other/));
  const to = sqlitePlace();
  await assert.rejects(transfer({ from, to: failing(to, 4, true) }), /killed/);
  await assert.rejects(
    transfer({ from: { ...from, name: 'b' }, to }),
    refused(/part of a migration from memory/),
  );
  const key = { collection: 'hardware.tinkerbell.org', namespace: 'lab', name: 'm0' };
  const stored = await to.store.get(key);
  assert.ok(stored !== undefined);
  const object = { ...stored.object, spec: { disks: [{ device: '/dev/sda' }] } };
  await to.store.commit([{ operation: 'update', key, object, expectedRevision: stored.revision }]);
  await assert.rejects(transfer({ from, to }), refused(/lab\/m0 is in sqlite.* and differs from the source/));
  await put(from.store, 'hardware.tinkerbell.org', objectOf('Hardware', 'late'));
  await assert.rejects(transfer({ from, to }), refused(/was written since the migration began/));
});

test('a write to the source during the copy is detected', async () => {
  const from = await filled(memoryPlace());
  let isWritten = false;
  const onProgress = (step: string): void => {
    if (step === 'records' && !isWritten)
      void put(from.store, 'hardware.tinkerbell.org', objectOf('Hardware', 'late'));
    isWritten ||= step === 'records';
  };
  await assert.rejects(
    transfer({ from, to: sqlitePlace(), onProgress }),
    refused(/was written while it was copied/),
  );
});

test('running actions stop the transfer before the first write, unless they may continue', async () => {
  const from = await filled(memoryPlace(), { state: 'RUNNING' });
  const to = sqlitePlace();
  await assert.rejects(transfer({ from, to }), refused(/performing actions: lab\/w: one; .*--while-running/));
  const tried = await transfer({ from, to, isWhileRunning: true, isDryRun: true });
  assert.deepEqual([tried.objects, tried.running, await to.store.revision()], [453, ['lab/w: one'], 0]);
  assert.equal((await transfer({ from, to, isWhileRunning: true })).objects, 453);
});
