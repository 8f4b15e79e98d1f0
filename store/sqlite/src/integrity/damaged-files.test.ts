import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { PlatformError, type Log } from '@tinkerbell/platform-contract';
import type { Store } from '@tinkerbell/store-contract';
import { openSqliteLeaseBook, openSqliteStore, prepareLeases, prepareSchema } from '../index.ts';
import { acceptLoss, guardTable, rowChecksum, verifyDatabase } from './index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-damaged-'));
after(() => rmSync(folder, { recursive: true }));
const collection = 'hardware.tinkerbell.org';
const NAMES = Array.from({ length: 60 }, (_, index) => `m${index}`);

let files = 0;
/** A folder for a database. `copy` creates another folder with the same files, as after a kill. */
function place() {
  files += 1;
  const path = join(folder, `${files}.db`);
  const suffixes = ['', '-wal', '-acknowledged'];
  return {
    path,
    wal: `${path}-wal`,
    acknowledged: `${path}-acknowledged`,
    copyTo(target: string): void {
      for (const suffix of suffixes) {
        rmSync(`${target}${suffix}`, { force: true });
        if (readable(`${path}${suffix}`)) copyFileSync(`${path}${suffix}`, `${target}${suffix}`);
      }
    },
  };
}

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

async function create(store: Store, names: readonly string[]): Promise<void> {
  const results = await Promise.all(
    names.map((name) =>
      store.commit([
        {
          operation: 'create',
          key: { collection, namespace: 'default', name },
          object: {
            apiVersion: 'tinkerbell.org/v1alpha1',
            kind: 'Hardware',
            metadata: { name, namespace: 'default' },
            spec: { text: `of ${name} ${'-'.repeat(300)}` },
          },
        },
      ]),
    ),
  );
  assert.ok(results.every(({ ok }) => ok));
}

/** The files of a store that was killed after a checkpoint, with everything since then in its log. */
async function killed() {
  const [working, left, older] = [place(), place(), place()];
  const store = openSqliteStore({ path: working.path, log: silent });
  await create(store, NAMES.slice(0, 20));
  {
    using other = new DatabaseSync(working.path);
    other.exec('pragma wal_checkpoint(truncate)');
  }
  working.copyTo(older.path);
  for (let start = 20; start < NAMES.length; start += 10) await create(store, NAMES.slice(start, start + 10));
  working.copyTo(left.path);
  await store.close();
  return { left, older };
}

function change(path: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  edit(bytes);
  writeFileSync(path, bytes);
}

/** Returns the position of a text in the file. */
function flipIn(path: string, text: string, from: 'first' | 'last' = 'first'): void {
  change(path, (bytes) => {
    const at = from === 'first' ? bytes.indexOf(text) : bytes.lastIndexOf(text);
    assert.ok(at > 0, `${text} is not in the file`);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  });
}

type Files = Awaited<ReturnType<typeof killed>>;

const damages: readonly (readonly [string, (files: Files) => void, RegExp])[] = [
  [
    'a bit flips in the log',
    ({ left }) => flipIn(left.wal, 'of m35 '),
    /ends at revision \d+, but 60 was .*up to frame \d+ at byte \d+/,
  ],
  [
    'the log is removed',
    ({ left }) => rmSync(left.wal),
    /ends at revision 20, but 60 was .*-wal: it is absent/,
  ],
  [
    'the log is cut',
    ({ left }) => truncateSync(left.wal, 50_000),
    /but 60 was acknowledged.*it ends at byte 50000/,
  ],
  ['the log is emptied', ({ left }) => truncateSync(left.wal, 0), /but 60 was acknowledged.*it has 0 bytes/],
  [
    'the header of the log flips',
    ({ left }) => change(left.wal, (bytes) => void bytes.writeUInt8((bytes[17] ?? 0) ^ 9, 17)),
    /its header at byte 0/,
  ],
  [
    'the database is emptied',
    ({ left }) => truncateSync(left.path, 0),
    /empty or absent, but revision 60 was acknowledged/,
  ],
  [
    'the database is removed',
    ({ left }) => rmSync(left.path),
    /empty or absent, but revision 60 was acknowledged/,
  ],
  [
    'the database is cut',
    ({ left }) => truncateSync(left.path, 9_000),
    /malformed; its header counts \d+ pages, and page 3 is beyond/,
  ],
  [
    'the file of acknowledgements is removed',
    ({ left }) => rmSync(left.acknowledged),
    /-acknowledged: what the store acknowledged is absent/,
  ],
];

for (const [what, damage, message] of damages)
  test(`refuses to start when ${what}, and reports where`, async () => {
    const files = await killed();
    damage(files);
    const before = readable(files.left.wal) ? readFileSync(files.left.wal) : undefined;
    assert.throws(
      () => openSqliteStore({ path: files.left.path, log: silent }),
      (thrown) => {
        assert.ok(thrown instanceof PlatformError && thrown.code === 'damaged', String(thrown));
        assert.match(thrown.message, message);
        assert.match(thrown.message, /Restore a backup, or start once with --accept-loss/);
        return true;
      },
    );
    const now = readable(files.left.wal) ? readFileSync(files.left.wal) : undefined;
    if (before !== undefined) assert.deepEqual(now, before, 'the rescued part of the log is still there');
  });

/** A store that was stopped, so that everything is in the database. */
async function stopped() {
  const one = place();
  const store = openSqliteStore({ path: one.path, log: silent });
  await create(store, NAMES);
  await store.close();
  return one;
}

test('a flipped bit of a row names the object, and in a history the revision', async () => {
  const one = await stopped();
  flipIn(one.path, 'of m35 ', 'first');
  const { damages: found } = verifyDatabase(one.path, { depth: 'start' });
  assert.equal(found.length, 1);
  assert.match(
    found[0]?.place ?? '',
    /^table objects, .*\/m35, revision 36$|^table changes, revision 36, .*\/m35$/,
  );
  assert.equal(found[0]?.problem, 'the checksum does not match');
});

test('an older database with an older log does not match what was acknowledged', async () => {
  const { left, older } = await killed();
  for (const suffix of ['', '-wal']) {
    rmSync(`${left.path}${suffix}`, { force: true });
    if (readable(`${older.path}${suffix}`)) copyFileSync(`${older.path}${suffix}`, `${left.path}${suffix}`);
  }
  assert.throws(() => openSqliteStore({ path: left.path, log: silent }), /ends at revision 20, but 60 was/);
});

test('the database of another server is refused', async () => {
  const [one, other] = [await stopped(), await stopped()];
  copyFileSync(other.path, one.path);
  assert.throws(() => openSqliteStore({ path: one.path, log: silent }), /it is a different database/);
});

/** The effects of a page that was written back in an older state: each row is intact, but wrong. */
const staleness: readonly (readonly [string, string])[] = [
  ['a missing row', `delete from objects where name = 'm7'`],
  [
    'a duplicate row',
    `insert into objects select collection, namespace, 'm7b', revision, object, checksum from objects where name = 'm7'`,
  ],
  ['a row of another revision', `update objects set revision = 3 where name = 'm7'`],
  [
    'an older version of a whole row',
    `update objects set revision = 3 where name = 'm7';
     update objects set checksum = row_checksum(collection, namespace, name, revision, object) where name = 'm7'`,
  ],
  ['a missing change', 'delete from changes where revision = 30'],
  ['an older tally', `update tallies set version = version - 1 where name = 'objects'`],
  ['changed definitions', 'create index further on objects (revision)'],
];

for (const [what, sql] of staleness)
  test(`refuses ${what}`, async () => {
    const one = await stopped();
    {
      using database = new DatabaseSync(one.path);
      database.function('row_checksum', { varargs: true }, (...values) => rowChecksum(values));
      database.exec(sql);
    }
    assert.throws(
      () => openSqliteStore({ path: one.path, log: silent }),
      /is damaged: table .*--accept-loss/s,
    );
  });

test('a row that a disk changes while the server runs is not returned as an object', async () => {
  const one = await stopped();
  await using store = openSqliteStore({ path: one.path, log: silent });
  {
    using database = new DatabaseSync(one.path);
    database.exec(`update objects set object = replace(object, 'of m7 ', 'of m8 ') where name = 'm7'`);
    database.exec(`update changes set object = replace(object, 'of m7 ', 'of m8 ') where name = 'm7'`);
  }
  await assert.rejects(
    store.get({ collection, namespace: 'default', name: 'm7' }),
    /default\/m7.*tinkerbell check/,
  );
  await assert.rejects(
    store.watch({ fromRevision: 0 }, { onChange() {}, onEnd() {} }),
    /change of revision 8/,
  );
});

test('leases are verified like objects', async () => {
  const one = place();
  {
    await using leases = openSqliteLeaseBook({ path: one.path });
    for (const end of [1, 2, 3, 2])
      await leases.write({
        address: `10.0.0.${end}`,
        mac: '02:00:5e:10:00:01',
        state: 'leased',
        untilMs: end,
      });
  }
  assert.deepEqual(verifyDatabase(one.path, { depth: 'full' }).damages, []);
  change(one.path, (bytes) => {
    const at = bytes.indexOf('10.0.0.202:00');
    bytes.write('3', at + 7 + 16);
  });
  assert.throws(
    () => openSqliteLeaseBook({ path: one.path }),
    /table leases, address 10.0.0.2: the checksum/,
  );
});

const preparations = (path: string) => ({
  store: (database: DatabaseSync) => prepareSchema(database, path),
  journal: (database: DatabaseSync) => {
    for (const name of ['journal', 'journal_output', 'journal_audit'] as const) {
      database.exec(`create table ${name} (sequence integer primary key, record text)`);
      database.exec('begin');
      guardTable(database, name);
      database.exec('commit');
    }
  },
  leases: prepareLeases,
});

async function namesIn(path: string): Promise<readonly string[]> {
  await using store = openSqliteStore({ path, log: silent });
  return (await store.list({ collection })).items.map(({ key }) => key.name);
}

test('after accepting the loss it continues with all intact data, and keeps the damaged files', async () => {
  const { left } = await killed();
  flipIn(left.wal, 'of m35 ', 'last');
  const damaged = readFileSync(left.wal);
  const loss = acceptLoss({ path: left.path, preparations: preparations(left.path), now: new Date(0) });
  assert.ok(loss !== undefined);
  assert.deepEqual(readFileSync(join(loss.folder, basename(left.wal))), damaged);
  assert.match(readFileSync(join(loss.folder, 'lost.json'), 'utf8'), /"acknowledged": 60/);
  const names = await namesIn(left.path);
  assert.ok(names.length >= 59, `${names.length} of 60`);
  await using store = openSqliteStore({ path: left.path, log: silent });
  assert.ok((await store.revision()) > 60, 'no revision is used twice');
  const watch = await store.watch({ fromRevision: 60 }, { onChange() {}, onEnd() {} });
  assert.equal(watch.ok, false, 'a watch that knew the damaged store lists again');
});

test('without damage there is no loss to accept', async () => {
  const one = await stopped();
  const options = { path: one.path, preparations: preparations(one.path), now: new Date(0) };
  assert.equal(acceptLoss(options), undefined);
  assert.equal((await namesIn(one.path)).length, 60);
});

test('rows after an unreadable page are kept', async () => {
  const one = await stopped();
  // The first byte of a leaf is the type of its page.
  change(one.path, (bytes) => {
    for (let page = 2; page * 4096 < bytes.length; page += 1)
      if (bytes[page * 4096] === 0x0d && bytes.subarray(page * 4096, page * 4096 + 4096).includes('of m35 '))
        bytes[page * 4096] = 0x77;
  });
  const loss = acceptLoss({ path: one.path, preparations: preparations(one.path), now: new Date(1) });
  const kept = loss?.tables.find(({ table }) => table === 'objects')?.kept ?? 0;
  assert.ok(kept > 40 && kept < 60, `${kept} of 60`);
  assert.equal((await namesIn(one.path)).length, kept);
});
