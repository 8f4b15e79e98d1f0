import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import { readAcknowledged, Tallies, verifyDatabase } from '@tinkerbell/store-sqlite/integrity';
import { openSqliteJournal } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-journal-damage-'));
after(() => rmSync(folder, { recursive: true }));

/** Tasks that run when the test calls for it, each once. */
function handClock() {
  let tasks: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => 1_700_000_000_000,
    monotonicMs: () => 0,
    schedule(_delay, task) {
      tasks.push(task);
      return () => void (tasks = tasks.filter((one) => one !== task));
    },
  };
  const run = (): void => tasks.splice(0).forEach((task) => task());
  return { clock, run };
}

let files = 0;
function newPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function appendAll(journal: ReturnType<typeof openSqliteJournal>, count: number): void {
  const events = ['action-started', 'action-output', 'write-answered'];
  for (let index = 0; index < count; index += 1)
    journal.append({
      source: 'agent',
      event: events[index % 3] ?? '',
      workflow: 'default/w',
      message: `m${index}`,
    });
}

async function written(count: number): Promise<string> {
  const path = newPath();
  await using journal = openSqliteJournal({ path, clock: handClock().clock, log });
  appendAll(journal, count);
  return path;
}

const damages: readonly (readonly [string, string, RegExp])[] = [
  [
    'a record that changed',
    `update journal set record = replace(record, 'm3"', 'm4"')`,
    /table journal, sequence 4: the checksum/,
  ],
  [
    'a record that is gone',
    'delete from journal_output where sequence = 5',
    /table journal_output: it has 9 records, and 10 were/,
  ],
  ['all records gone', 'delete from journal_audit', /table journal_audit: it has 0 records/],
  [
    'a record at another number',
    'update journal set sequence = 99 where sequence = 4',
    /sequence 99: the checksum/,
  ],
  ['a time that changed', 'update journal set at_ms = 7 where sequence = 4', /sequence 4: the checksum/],
];

for (const [what, sql, message] of damages)
  test(`refuses to start with ${what}`, async () => {
    const path = await written(30);
    {
      using database = new DatabaseSync(path);
      database.exec(sql);
    }
    assert.throws(() => openSqliteJournal({ path, clock: handClock().clock, log }), message);
  });

test('detects the loss of records on the disk when the log is removed', async () => {
  const path = newPath();
  const time = handClock();
  const journal = openSqliteJournal({ path, clock: time.clock, log });
  appendAll(journal, 30);
  await journal.read({ after: 0 });
  time.run();
  // The sync of the log, and what was acknowledged after it.
  while (!/"version":[2-9]/.test(acknowledgedOf(path))) await new Promise((resolve) => setImmediate(resolve));
  const copy = newPath();
  for (const suffix of ['', '-acknowledged']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
  await journal.close();
  assert.throws(
    () => openSqliteJournal({ path: copy, clock: handClock().clock, log }),
    /table journal.*was acknowledged; of .*-wal: it is absent/,
  );
});

test('records that arrive during a sync are acknowledged without waiting for another record', async () => {
  const path = newPath();
  const time = handClock();
  await using journal = openSqliteJournal({ path, clock: time.clock, log });
  appendAll(journal, 3);
  await journal.read({ after: 0 });
  time.run();
  // The sync continues in another thread, and ends in a later turn.
  appendAll(journal, 3);
  await journal.read({ after: 0 });
  using database = new DatabaseSync(path, { readOnly: true });
  const { version } = new Tallies(database).load('journal');
  for (let asked = 0; acknowledgedVersion(path) !== version; asked += 1) {
    assert.ok(asked < 2000, `version ${acknowledgedVersion(path)} of ${version} is acknowledged`);
    time.run();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
});

function acknowledgedVersion(path: string): number | undefined {
  const acknowledged = readAcknowledged(path, 'journal');
  return typeof acknowledged === 'object' ? acknowledged.tallies['journal']?.version : undefined;
}

function acknowledgedOf(path: string): string {
  return readFileSync(`${path}-acknowledged`, 'latin1');
}

test('a record that a disk changes while the server runs is not returned', async () => {
  const path = await written(30);
  await using journal = openSqliteJournal({ path, clock: handClock().clock, log });
  {
    using database = new DatabaseSync(path);
    database.exec(`update journal set record = replace(record, 'm3"', 'm4"')`);
  }
  await assert.rejects(journal.read({ after: 0 }), /record 4 of journal does not match its checksum/);
});

test('records that were dropped because of their age or number do not count as lost', async () => {
  const path = newPath();
  const time = handClock();
  for (let start = 0; start < 3; start += 1) {
    await using journal = openSqliteJournal({
      path,
      clock: time.clock,
      log,
      recordsKept: 50,
      outputLinesKept: 20,
    });
    for (let turn = 0; turn < 20; turn += 1) {
      appendAll(journal, 64);
      await journal.read({ after: 0 });
      time.run();
    }
  }
  const { damages: found, tallies } = verifyDatabase(path, { depth: 'full' });
  assert.deepEqual(found, []);
  assert.ok((tallies.get('journal')?.rows ?? 0) < 500, String(tallies.get('journal')?.rows));
});

test('a journal without checksums gets them', async () => {
  const path = newPath();
  {
    using database = new DatabaseSync(path);
    database.exec(`pragma journal_mode = wal; create table journal (
        sequence integer primary key, at_ms integer not null, machine text, workflow text, record text not null);
      insert into journal values (7, 1, null, null, '{"source":"server","event":"started","message":"old","sequence":7,"atMs":1}')`);
  }
  {
    await using journal = openSqliteJournal({ path, clock: handClock().clock, log });
    assert.deepEqual(
      (await journal.read({ after: 0 })).map(({ message }) => message),
      ['old'],
    );
  }
  assert.deepEqual(verifyDatabase(path, { depth: 'full' }).damages, []);
});
