import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Journal } from '@tinkerbell/store-contract';
import { openSqliteJournal } from './index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** A clock that stands still unless the test moves it. Scheduled work waits for `run`. */
function standingClock() {
  let now = 1_700_000_000_000;
  const tasks = new Set<() => void>();
  const clock: Clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    schedule(_delay, task) {
      tasks.add(task);
      return () => tasks.delete(task);
    },
  };
  const run = (): void => {
    const due = [...tasks];
    for (const task of due) if (tasks.delete(task)) task();
  };
  return { clock, advance: (ms: number) => (now += ms), run };
}

const mac = '52:54:00:00:00:01';

test('reads records by machine, by workflow, or both, in order', async () => {
  await using journal = openSqliteJournal({ path: ':memory:', clock: standingClock().clock, log: silent });
  journal.append({ source: 'dhcp', event: 'offer-sent', machine: mac, message: 'one' });
  journal.append({ source: 'workflow', event: 'created', workflow: 'default/w', message: 'two' });
  journal.append({
    source: 'agent',
    event: 'action-started',
    machine: mac,
    workflow: 'default/w',
    message: 'three',
  });
  journal.append({ source: 'server', event: 'started', message: 'four' });
  const messages = async (query: object) =>
    (await journal.read({ after: 0, ...query })).map((record) => record.message);
  assert.deepEqual(await messages({ machines: [mac] }), ['one', 'three']);
  assert.deepEqual(await messages({ workflows: ['default/w'] }), ['two', 'three']);
  assert.deepEqual(await messages({ machines: [mac], workflows: ['default/w'] }), ['one', 'two', 'three']);
  assert.deepEqual(await messages({}), ['one', 'two', 'three', 'four']);
  assert.deepEqual(await messages({ after: 1, limit: 2 }), ['two', 'three']);
});

test('sends matching records to followers at once', async () => {
  await using journal = openSqliteJournal({ path: ':memory:', clock: standingClock().clock, log: silent });
  const seen: number[] = [];
  const stop = journal.follow({ machines: [mac] }, (record) => seen.push(record.sequence));
  journal.append({ source: 'dhcp', event: 'offer-sent', machine: mac, message: '' });
  journal.append({ source: 'dhcp', event: 'offer-sent', machine: 'other', message: '' });
  stop();
  journal.append({ source: 'dhcp', event: 'offer-sent', machine: mac, message: '' });
  assert.deepEqual(seen, [1]);
});

test('continues to count where it stopped when it is opened again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-journal-'));
  const options = { path: join(folder, 'j.db'), clock: standingClock().clock, log: silent };
  const first = openSqliteJournal(options);
  first.append({ source: 'server', event: 'started', message: '' });
  await first.close();
  const second = openSqliteJournal(options);
  second.append({ source: 'server', event: 'started', message: '' });
  const [one = 0, two = 0] = (await second.read({ after: 0 })).map((record) => record.sequence);
  assert.ok(one === 1 && two > 1, `${one}, ${two}`);
  await second.close();
  rmSync(folder, { recursive: true });
});

test('uses no number twice, also not that of a record that a crash has lost', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'journal-'));
  const path = join(directory, 'journal.db');
  const crashed = openSqliteJournal({ path, clock: standingClock().clock, log: silent });
  const seen: number[] = [];
  crashed.follow({}, ({ sequence }) => seen.push(sequence));
  crashed.append({ source: 'server', event: 'started', message: 'written' });
  await crashed.read({ after: 0 });
  crashed.append({ source: 'server', event: 'started', message: 'lost' });
  {
    await using journal = openSqliteJournal({ path, clock: standingClock().clock, log: silent });
    journal.append({ source: 'server', event: 'started', message: 'after' });
    const last = Math.max(...seen);
    const messages = (await journal.read({ after: last })).map(({ message }) => message);
    assert.deepEqual(messages, ['after'], 'a follower that continues from the lost record misses nothing');
  }
  await crashed.close();
  rmSync(directory, { recursive: true });
});

test('drops records that are too many or too old', async () => {
  const time = standingClock();
  await using journal = openSqliteJournal({
    path: ':memory:',
    clock: time.clock,
    log: silent,
    recordsKept: 15_000,
    ageKeptMs: 86_400_000,
  });
  const append = (count: number) => {
    for (let index = 0; index < count; index++)
      journal.append({ source: 'server', event: 'tick', message: '' });
    time.run();
  };
  append(1);
  time.advance(2 * 86_400_000);
  append(10_000);
  append(10_000);
  await journal.read({ after: 0, limit: 1 });
  for (let turn = 0; turn < 100; turn++) time.run();
  const records = await journal.read({ after: 0, limit: 1 });
  assert.equal(records[0]?.sequence, 5002);
});

test('many records are written in several short transactions, in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-journal-'));
  const path = join(folder, 'j.db');
  const time = standingClock();
  const journal = openSqliteJournal({ path, clock: time.clock, log: silent });
  for (let index = 0; index < 600; index++) {
    journal.append({ source: 'server', event: 'tick', message: String(index) });
  }
  await using reader = openSqliteJournal({ path, clock: time.clock, log: silent });
  const written = async () => (await reader.read({ after: 0 })).map(({ message }) => Number(message));
  const counts = [];
  for (let turn = 0; turn < 4; turn++) {
    time.run();
    counts.push((await written()).length);
  }
  assert.deepEqual(counts, [64, 128, 192, 256]);
  for (let turn = 0; turn < 6; turn++) time.run();
  assert.deepEqual(await written(), [...Array(600).keys()]);
  await journal.close();
  rmSync(folder, { recursive: true });
});

test('a read while many records wait writes them in several short transactions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-journal-'));
  const path = join(folder, 'j.db');
  const time = standingClock();
  {
    await using journal = openSqliteJournal({ path, clock: time.clock, log: silent });
    for (let index = 0; index < 600; index++)
      journal.append({ source: 'server', event: 'tick', message: String(index) });
    using other = new DatabaseSync(path);
    const written = (): number =>
      Number(other.prepare('select count(*) as rows from journal').get()?.['rows']);
    const counts: number[] = [];
    const reading = journal.read({ after: 0 });
    const state = { isReading: true };
    void reading.finally(() => (state.isReading = false));
    while (state.isReading) {
      counts.push(written());
      journal.append({ source: 'server', event: 'later', message: '' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok((await reading).length >= 600, String((await reading).length));
    counts.push(written());
    const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
    assert.ok(steps.length >= 600 / 64 && Math.max(...steps) <= 64, counts.join());
    for (let turn = 0; turn < 3; turn++) time.run();
    assert.equal(written(), 600 + counts.length - 1, 'those that came meanwhile are written too');
  }
  rmSync(folder, { recursive: true });
});

test('a journal that is full, or far beyond its limit, shrinks to the limit in short turns', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-journal-'));
  const time = standingClock();
  const options = { path: join(folder, 'j.db'), clock: time.clock, log: silent };
  const append = (journal: Journal, count: number) => {
    for (let index = 0; index < count; index++)
      journal.append({ source: 'server', event: 'tick', message: '' });
  };
  await using reader = openSqliteJournal(options);
  const count = async () => (await reader.read({ after: 0 })).length;
  {
    await using journal = openSqliteJournal(options);
    append(journal, 2_000);
  }
  await using journal = openSqliteJournal({ ...options, recordsKept: 500 });
  const counts = [await count()];
  for (let turn = 0; turn < 60; turn++) {
    append(journal, 64);
    time.run();
    counts.push(await count());
  }
  const deleted = counts.slice(1).map((each, index) => (counts[index] ?? 0) + 64 - each);
  assert.ok(Math.max(...deleted) <= 2 * 128, deleted.join());
  assert.ok(Math.max(...counts.slice(-10)) <= 500 + 128, counts.join());
  rmSync(folder, { recursive: true });
});

test('reads by event, and reads the output of actions only by its name', async () => {
  await using journal = openSqliteJournal({ path: ':memory:', clock: standingClock().clock, log: silent });
  const seen: string[] = [];
  journal.follow({ workflows: ['default/w'], events: ['action-output'] }, (record) =>
    seen.push(record.message),
  );
  const append = (event: string, message: string) =>
    journal.append({ source: 'agent', event, workflow: 'default/w', message });
  append('action-started', 'one');
  append('action-output', 'two');
  append('action-succeeded', 'three');
  append('action-output', 'four');
  const messages = async (query: object) =>
    (await journal.read({ after: 0, workflows: ['default/w'], ...query })).map((record) => record.message);
  assert.deepEqual(await messages({}), ['one', 'three']);
  assert.deepEqual(await messages({ events: ['action-output'] }), ['two', 'four']);
  assert.deepEqual(await messages({ events: ['action-output', 'action-succeeded'] }), [
    'two',
    'three',
    'four',
  ]);
  assert.deepEqual(await messages({ events: ['action-output', 'action-succeeded'], after: 2, limit: 1 }), [
    'three',
  ]);
  assert.deepEqual(seen, ['two', 'four']);
});

test('reads what a machine printed only by its name, and apart from the output of actions', async () => {
  await using journal = openSqliteJournal({ path: ':memory:', clock: standingClock().clock, log: silent });
  const machine = '08:00:27:9e:f5:3a';
  const append = (event: string, message: string) =>
    journal.append({ source: 'bmc', event, machine, message });
  append('power-changed', 'on');
  append('console-printed', 'GRUB');
  append('action-output', 'line');
  append('console-printed', 'Linux');
  const messages = async (query: object) =>
    (await journal.read({ after: 0, machines: [machine], ...query })).map((record) => record.message);
  assert.deepEqual(await messages({}), ['on']);
  assert.deepEqual(await messages({ events: ['console-printed'] }), ['GRUB', 'Linux']);
  assert.deepEqual(await messages({ events: ['action-output'] }), ['line']);
  assert.deepEqual(await messages({ events: ['console-printed', 'action-output', 'power-changed'] }), [
    'on',
    'GRUB',
    'line',
    'Linux',
  ]);
  assert.deepEqual(await messages({ machines: undefined, events: ['console-printed'], limit: 1 }), ['GRUB']);
});

test('output of actions displaces no other record', async () => {
  const time = standingClock();
  await using journal = openSqliteJournal({
    path: ':memory:',
    clock: time.clock,
    log: silent,
    recordsKept: 3,
    outputLinesKept: 5000,
  });
  for (let index = 0; index < 5; index++)
    journal.append({ source: 'dhcp', event: 'offer-sent', message: '' });
  for (let index = 0; index < 20_000; index++)
    journal.append({ source: 'agent', event: 'action-output', message: '' });
  for (let turn = 0; turn < 400; turn++) time.run();
  const kept = await journal.read({ after: 0 });
  assert.deepEqual(
    kept.map(({ sequence }) => sequence),
    [3, 4, 5],
  );
  const [oldest] = await journal.read({ after: 0, events: ['action-output'] });
  assert.ok((oldest?.sequence ?? 0) > 5000, String(oldest?.sequence));
});

test('records that the disk did not accept do not count, and no others are dropped for them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-journal-'));
  const path = join(folder, 'a.db');
  const time = standingClock();
  const journal = openSqliteJournal({ path, clock: time.clock, log: silent, recordsKept: 100 });
  const write = async (count: number) => {
    for (let i = 0; i < count; i++) journal.append({ source: 'server', event: 'e', message: String(i) });
    const records = await journal.read({ after: 0 });
    time.run();
    return records;
  };
  await write(20_000);
  for (let turn = 0; turn < 200; turn++) time.run();
  assert.equal((await write(1)).length, 101);
  const other = new DatabaseSync(path);
  // Like a disk that is full after some of the records of a transaction.
  other.exec(`create trigger full before insert on journal when new.record like '%"50"%'
    begin select raise(abort, 'disk is full'); end`);
  for (let i = 0; i < 200; i++) await write(60);
  other.exec('drop trigger full');
  other.close();
  const kept = await write(1);
  assert.ok(kept.length >= 100, `${kept.length} are kept`);
  await journal.close();
  rmSync(folder, { recursive: true });
});
