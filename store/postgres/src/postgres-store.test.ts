import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { startPostgres, type Postgres } from '@tinkerbell/sandbox/postgres';
import type { Store } from '@tinkerbell/store-contract';
import { leaseSuite } from '@tinkerbell/store-contract/lease-suite';
import { storeModelSuite } from '@tinkerbell/store-contract/model-suite';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import pg from 'pg';
import { writeGroup } from './commit-group.ts';
import { openPostgresLeaseBook, openPostgresStore } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

let databases = 0;
const newDatabase = (): Promise<string> => postgres.database(`d${(databases += 1)}`);
const open = async (url: string, options = {}): Promise<Store> =>
  openPostgresStore({ url, clock: nodeClock, log, ...options });

const newStore = async (options: object) => open(await newDatabase(), options);
storeSuite('postgres', newStore);
storeModelSuite('postgres', newStore, 10);
leaseSuite('postgres', async (options) =>
  openPostgresLeaseBook({ url: await newDatabase(), clock: nodeClock, log, ...options }),
);

const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'a' };
const object = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 'a', namespace: 'default' },
};
const create = (store: Store, name: string) =>
  store.commit([{ operation: 'create', key: { ...key, name }, object }]);

async function withClient(url: string, body: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await body(client);
  await client.end();
}

async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('several servers write at once, and every watcher sees every revision, once and in order', async () => {
  const url = await newDatabase();
  const stores = await Promise.all([open(url), open(url), open(url)]);
  const seen: number[][] = stores.map(() => []);
  for (const [index, store] of stores.entries()) {
    await store.watch(
      { fromRevision: 0 },
      { onChange: ({ revision }) => void seen[index]?.push(revision), onEnd() {} },
    );
  }
  const results = await Promise.all(
    stores.flatMap((store, server) =>
      Array.from({ length: 10 }, async (_, writer) => {
        for (let number = 0; number < 10; number++) await create(store, `s${server}-${writer}-${number}`);
        return create(store, `same-${writer}`);
      }),
    ),
  );
  assert.equal(results.filter(({ ok }) => ok).length, 10);
  await eventually(() => seen.every((revisions) => revisions.length >= 310));
  const all = Array.from({ length: 310 }, (_, index) => index + 1);
  for (const revisions of seen) assert.deepEqual(revisions, all);
  await Promise.all(stores.map((store) => store.close()));
});

test('a watch from a revision that another server returned delivers nothing before it', async () => {
  const url = await newDatabase();
  await using one = await open(url);
  await using other = await open(url);
  const results = await Promise.all(['a', 'b', 'c'].map((name) => create(one, name)));
  const from = Math.max(...results.map((result) => (result.ok ? result.revision : 0)));
  const seen: number[] = [];
  await other.watch(
    { fromRevision: from },
    { onChange: ({ revision }) => void seen.push(revision), onEnd() {} },
  );
  await create(other, 'd');
  assert.deepEqual(seen, [from + 1]);
});

test('refuses a database of a newer program, and reports its version', async () => {
  const url = await newDatabase();
  await (await open(url)).close();
  await withClient(url, (client) => client.query('update tinkerbell.schema_version set version = 99'));
  await assert.rejects(
    open(url),
    /127\.0\.0\.1:\d+\/d\d+ was written by a newer tinkerbell \(store version 99/,
  );
});

test('several servers that create the tables at once create them once', async () => {
  const url = await newDatabase();
  const stores = await Promise.all([open(url), open(url), open(url), open(url)]);
  assert.ok((await create(stores[0] ?? stores[1] ?? (await open(url)), 'a')).ok);
  await Promise.all(stores.map((store) => store.close()));
});

test('reports which database is unreachable, without its password', async () => {
  await assert.rejects(open('postgres://someone:hunter2@127.0.0.1:1/rack'), (error: Error) => {
    assert.match(error.message, /PostgreSQL at 127\.0\.0\.1:1\/rack cannot be used: .*ECONNREFUSED/);
    return !error.message.includes('hunter2');
  });
});

test('a commit whose answer was lost with the connection gets its real outcome', async () => {
  const url = await newDatabase();
  await using store = await open(url);
  await create(store, 'a');
  // Runs at the end of the transaction, when nothing but the end itself can still stop it.
  await withClient(url, (client) =>
    client.query(`create function slow() returns trigger language plpgsql as $$ begin
        perform pg_sleep(0.5); return null; end $$;
      create constraint trigger slow after insert on tinkerbell.changes initially deferred
        for each row execute function slow()`),
  );
  const committing = create(store, 'b');
  await withClient(url, async (client) => {
    const waiting = async () =>
      (
        await client.query<{ pid: number }>(
          `select pid from pg_stat_activity where query = 'commit' and state = 'active' and datname = current_database()`,
        )
      ).rows[0]?.pid;
    let pid = await waiting();
    while (pid === undefined) pid = await waiting();
    await client.query('select pg_terminate_backend($1)', [pid]);
  });
  const result = await committing;
  assert.equal((await store.get({ ...key, name: 'b' })) !== undefined, result.ok);
});

test('answers unavailable while PostgreSQL is unreachable, and continues afterwards with its watches', async () => {
  const url = await newDatabase();
  await using store = await open(url);
  const seen: string[] = [];
  await store.watch(
    { fromRevision: 0 },
    { onChange: ({ key: { name } }) => void seen.push(name), onEnd: (reason) => void seen.push(reason) },
  );
  assert.ok((await create(store, 'before')).ok);
  await postgres.crash();
  const refused = await create(store, 'during');
  assert.ok(!refused.ok && refused.reason === 'unavailable', JSON.stringify(refused));
  await assert.rejects(store.get(key), { code: 'unavailable' });
  await postgres.start();
  await using other = await open(url);
  assert.ok((await create(other, 'after')).ok);
  await eventually(() => seen.length >= 2);
  assert.ok((await create(store, 'later')).ok);
  assert.deepEqual(seen, ['before', 'after', 'later']);
});

test('an address that another server assigned to another machine is not assigned again', async () => {
  const url = await newDatabase();
  const untilMs = nodeClock.nowMs() + 3_600_000;
  const lease = { address: '10.0.0.1', mac: '02:00:5e:10:00:01', state: 'leased', untilMs } as const;
  await using one = await openPostgresLeaseBook({ url, clock: nodeClock, log });
  await using other = await openPostgresLeaseBook({ url, clock: nodeClock, log });
  await one.write(lease);
  await assert.rejects(
    other.write({ ...lease, mac: '02:00:5e:10:00:02' }),
    /another server assigned 10\.0\.0\.1/,
  );
  await one.write({ ...lease, state: 'released' });
  await other.write({ ...lease, mac: '02:00:5e:10:00:02' });
});

test('a commit reads neither the changes that are kept nor those that were removed', async () => {
  const url = await newDatabase();
  await (await open(url)).close();
  const commits = 1500;
  // Without a server, whose change feed would look for news meanwhile.
  await withClient(url, async (client) => {
    for (let number = 0; number < commits; number += 1) {
      await writeGroup(
        client,
        [[{ operation: 'create', key: { ...key, name: `t-${number}` }, object }]],
        100,
      );
      await client.query('commit');
    }
  });
  const read = await readOfChanges(url, commits);
  // What is removed is read once. To look through all that is kept would be 150 for each commit.
  assert.ok(read < 10 * commits, `${commits} commits read ${read} changes`);
});

/** Returns how many rows of the changes PostgreSQL has read, once it has counted what was inserted. It counts with a delay. */
async function readOfChanges(url: string, inserted: number): Promise<number> {
  let read: number | undefined;
  await withClient(url, async (client) => {
    for (; read === undefined; await new Promise((resolve) => setTimeout(resolve, 100))) {
      const { rows } = await client.query<Record<'inserted' | 'read', string>>(
        `select t.n_tup_ins as inserted, t.seq_tup_read + i.idx_tup_read as read
         from pg_stat_user_tables t join pg_stat_user_indexes i using (relid) where t.relname = 'changes'`,
      );
      if (Number(rows[0]?.inserted) >= inserted) read = Number(rows[0]?.read);
    }
  });
  return read ?? NaN;
}
