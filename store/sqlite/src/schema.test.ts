import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { verifyDatabase } from './integrity/index.ts';
import { openSqliteLeaseBook, openSqliteStore } from './index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-schema-'));
after(() => rmSync(folder, { recursive: true }));

const object = JSON.stringify({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 'a', namespace: 'default', resourceVersion: '4' },
});
const lease = { address: '10.0.0.1', mac: '02:00:5e:10:00:01', state: 'leased', untilMs: 7 } as const;

/** Writes a file with the schema of the first version of this program. */
function versionOne(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal;
    create table objects (collection text not null, namespace text not null, name text not null,
      revision integer not null, object text not null, primary key (collection, namespace, name));
    create table changes (revision integer primary key, type text not null, collection text not null,
      namespace text not null, name text not null, object text not null);
    create table counter (id integer primary key check (id = 1), revision integer not null);
    insert into counter values (1, 9);
    create table leases (address text primary key, mac text not null, state text not null, until_ms integer not null)
      without rowid;
    insert into leases values ('10.0.0.1', '02:00:5e:10:00:01', 'leased', 7);
    pragma user_version = 1;`);
  database
    .prepare('insert into objects values (?, ?, ?, ?, ?)')
    .run('templates.tinkerbell.org', 'default', 'a', 4, object);
  database
    .prepare('insert into changes values (?, ?, ?, ?, ?, ?)')
    .run(4, 'added', 'templates.tinkerbell.org', 'default', 'a', object);
}

test('a file without checksums gets them, and continues where it was', async () => {
  const path = join(folder, 'one.db');
  versionOne(path);
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'a' };
  {
    await using store = openSqliteStore({ path, log: silent });
    assert.deepEqual((await store.get(key))?.object, JSON.parse(object));
    assert.equal(await store.revision(), 9);
    await using leases = openSqliteLeaseBook({ path });
    assert.deepEqual(await leases.load(), [lease]);
  }
  const { damages, tallies } = verifyDatabase(path, { depth: 'full' });
  assert.deepEqual(damages, []);
  assert.deepEqual(
    [...tallies].map(([table, { rows }]) => [table, rows]),
    [
      ['objects', 1],
      ['changes', 1],
      ['leases', 1],
    ],
  );
});

test('a failed upgrade leaves the file unchanged', () => {
  const path = join(folder, 'fails.db');
  versionOne(path);
  {
    using database = new DatabaseSync(path);
    database.exec(
      `create trigger stop before update on changes begin select raise(abort, 'the disk is full'); end`,
    );
  }
  assert.throws(() => openSqliteStore({ path, log: silent }), /the disk is full/);
  using database = new DatabaseSync(path);
  assert.equal(database.prepare('pragma user_version').get()?.['user_version'], 1);
  assert.equal(
    database.prepare('select count(*) as count from pragma_table_info(?)').get('objects')?.['count'],
    5,
  );
});

test('a file without checksums cannot replace one that has them', async () => {
  const path = join(folder, 'older.db');
  const store = openSqliteStore({ path, log: silent });
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'b' };
  await store.commit([
    {
      operation: 'create',
      key,
      object: { apiVersion: 'a/v1', kind: 'T', metadata: { name: 'b', namespace: 'default' } },
    },
  ]);
  await store.close();
  rmSync(path);
  versionOne(path);
  assert.throws(() => openSqliteStore({ path, log: silent }), /ends at revision 0, but 1 was acknowledged/);
});
