import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { storeModelSuite } from '@tinkerbell/store-contract/model-suite';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { openSqliteStore } from './index.ts';
import { assertIntact } from './integrity/index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-sqlite-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

const newStore = (options: { changesKept: number }) =>
  Promise.resolve(openSqliteStore({ path: newFile(), log: silent, ...options }));
storeSuite('sqlite', newStore);
storeModelSuite('sqlite', newStore, 60);

const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'a' };
const object = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 'a', namespace: 'default' },
};

test('keeps objects, revision and changes when it is opened again', async () => {
  const path = newFile();
  const first = openSqliteStore({ path, log: silent });
  await first.commit([{ operation: 'create', key, object }]);
  await first.close();
  await using second = openSqliteStore({ path, log: silent });
  assert.equal((await second.get(key))?.revision, 1);
  assert.equal(await second.revision(), 1);
  const changes: string[] = [];
  await second.watch(
    { fromRevision: 0 },
    { onChange: (change) => void changes.push(change.type), onEnd() {} },
  );
  assert.deepEqual(changes, ['added']);
});

test('the tallies match after changes of this and of the process before have been dropped', async () => {
  const path = newFile();
  let written = 0;
  for (const changes of [6, 3, 9, 20]) {
    // Opening the file verifies the rows against the tallies.
    const store = openSqliteStore({ path, log: silent, changesKept: 8 });
    for (let count = 0; count < changes; count += 1) {
      written += 1;
      const { ok } = await store.commit([
        { operation: 'create', key: { ...key, name: `t${written}` }, object },
      ]);
      assert.ok(ok);
    }
    await store.close();
  }
  assertIntact(path, ['store']);
});

test('refuses a file of a newer program, and reports its version', async () => {
  const path = newFile();
  await openSqliteStore({ path, log: silent }).close();
  const database = new DatabaseSync(path);
  database.exec('pragma user_version = 99');
  database.close();
  assert.throws(() => openSqliteStore({ path, log: silent }), /newer tinkerbell \(store version 99/);
});

test('refuses a damaged file, with the reason', async () => {
  const path = newFile();
  const store = openSqliteStore({ path, log: silent });
  const spec = { data: 'x'.repeat(2000) };
  const names = Array.from({ length: 50 }, (_, index) => `t${index}`);
  await Promise.all(
    names.map((name) =>
      store.commit([{ operation: 'create', key: { ...key, name }, object: { ...object, spec } }]),
    ),
  );
  await store.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 8192, bytes.length);
  writeFileSync(path, bytes);
  assert.throws(() => openSqliteStore({ path, log: silent }), /damaged|malformed/);
});

test('answers unavailable when the disk is full, and recovers', async () => {
  const path = newFile();
  await using store = openSqliteStore({ path, log: silent });
  await store.commit([{ operation: 'create', key, object }]);
  const blocker = new DatabaseSync(path);
  blocker.exec('begin immediate');
  const refused = await store.commit([{ operation: 'create', key: { ...key, name: 'b' }, object }]);
  assert.ok(!refused.ok && refused.reason === 'unavailable');
  assert.equal((await store.get(key))?.revision, 1);
  blocker.exec('rollback');
  blocker.close();
  const accepted = await store.commit([{ operation: 'create', key: { ...key, name: 'b' }, object }]);
  assert.ok(accepted.ok);
  assert.equal(accepted.revision, 2);
});

test('acknowledges durable commits even when a watcher fails, and continues to count', async () => {
  await using store = openSqliteStore({ path: newFile(), log: silent });
  const ends: string[] = [];
  await store.watch(
    { fromRevision: 0 },
    {
      onChange() {
        throw new Error('broken');
      },
      onEnd: (reason) => void ends.push(reason),
    },
  );
  const first = await store.commit([{ operation: 'create', key, object }]);
  const second = await store.commit([{ operation: 'create', key: { ...key, name: 'b' }, object }]);
  assert.ok(first.ok && second.ok);
  assert.equal(second.revision, 2);
  assert.deepEqual(ends, ['the watcher failed: Error: broken']);
});

test('has every acknowledged commit after SIGKILL', async () => {
  const path = newFile();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'testing/write-until-killed.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 300) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await using store = openSqliteStore({ path, log: silent });
  const { items } = await store.list({ collection: key.collection });
  assert.ok(items.length >= acknowledged && acknowledged >= 300, `${items.length} of ${acknowledged}`);
});

/** A disk that is slow or fails when the test requires it. */
function slowDisk() {
  const waiting: PromiseWithResolvers<void>[] = [];
  return {
    waiting,
    syncLog: () => {
      const sync = Promise.withResolvers<void>();
      waiting.push(sync);
      return sync.promise;
    },
    async next(): Promise<PromiseWithResolvers<void>> {
      for (let turns = 0; waiting.length === 0 && turns < 1000; turns += 1)
        await new Promise((resolve) => setImmediate(resolve));
      const sync = waiting.shift();
      assert.ok(sync !== undefined, 'nobody syncs');
      return sync;
    },
  };
}

function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 20, 'later'));
  return Promise.race([promise, later]).then((first) => first !== 'later');
}

test('answers, reads and watches follow the sync, and commits in between share the next one', async () => {
  const disk = slowDisk();
  await using store = openSqliteStore({ path: newFile(), log: silent, syncLog: disk.syncLog });
  const seen: number[] = [];
  await store.watch(
    { fromRevision: 0 },
    { onChange: ({ revision }) => void seen.push(revision), onEnd() {} },
  );
  const first = store.commit([{ operation: 'create', key, object }]);
  const sync = await disk.next();
  const others = ['b', 'c'].map((name) =>
    store.commit([{ operation: 'create', key: { ...key, name }, object }]),
  );
  const [read, list] = [store.get(key), store.list({ collection: key.collection })];
  for (const promise of [first, read, list, ...others]) assert.equal(await isSettled(promise), false);
  assert.equal(
    await store.get({ ...key, name: 'other' }),
    undefined,
    'an object without a pending write is read at once',
  );
  assert.deepEqual([seen, disk.waiting.length], [[], 0]);
  sync.resolve();
  assert.ok((await first).ok);
  assert.equal((await read)?.revision, 1);
  assert.deepEqual([(await list).items.length, (await list).revision, seen], [1, 1, [1]]);
  (await disk.next()).resolve();
  assert.deepEqual(
    (await Promise.all(others)).map(({ ok }) => ok),
    [true, true],
  );
  assert.deepEqual([seen, disk.waiting.length], [[1, 2, 3], 0]);
});

test('while the disk does not confirm, no write is acknowledged, reads continue, and it recovers by itself', async () => {
  const disk = slowDisk();
  await using store = openSqliteStore({ path: newFile(), log: silent, syncLog: disk.syncLog });
  const seen: number[] = [];
  const handlers = { onChange: ({ revision }: { revision: number }) => void seen.push(revision), onEnd() {} };
  await store.watch({ fromRevision: 0 }, handlers);
  const first = store.commit([{ operation: 'create', key, object }]);
  const sync = await disk.next();
  const meanwhile = store.commit([{ operation: 'create', key: { ...key, name: 'b' }, object }]);
  sync.reject(new Error('EIO'));
  for (const result of await Promise.all([first, meanwhile])) {
    assert.ok(!result.ok && result.reason === 'unavailable');
    assert.match(result.message, /did not confirm.*EIO/);
  }
  const refused = await store.commit([{ operation: 'create', key: { ...key, name: 'c' }, object }]);
  assert.ok(!refused.ok && refused.reason === 'unavailable');
  assert.equal((await store.list({ collection: key.collection })).revision, 0);
  const late: number[] = [];
  await store.watch(
    { fromRevision: 0 },
    { onChange: ({ revision }) => void late.push(revision), onEnd() {} },
  );
  assert.deepEqual([seen, late], [[], []]);
  let isAccepted = false;
  while (!isAccepted) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const again = store.commit([{ operation: 'create', key: { ...key, name: 'd' }, object }]);
    if (!(await isSettled(again))) (await disk.next()).resolve();
    isAccepted = (await again).ok;
  }
  assert.deepEqual(
    [seen, late],
    [
      [1, 2],
      [1, 2],
    ],
    'each change once, in order',
  );
});

test('closes while the disk fails', async () => {
  const disk = slowDisk();
  const store = openSqliteStore({ path: newFile(), log: silent, syncLog: disk.syncLog });
  const first = store.commit([{ operation: 'create', key, object }]);
  (await disk.next()).reject(new Error('EIO'));
  await first;
  await store.close();
  assert.equal((await store.commit([{ operation: 'create', key, object }])).ok, false);
});

test('a watch from an old revision reads what it missed in turns, and only what it selects', async () => {
  await using store = openSqliteStore({ path: newFile(), log: silent });
  const spec = { data: 'x'.repeat(100_000) };
  for (let index = 0; index < 20; index += 1) {
    await store.commit([
      { operation: 'create', key: { ...key, name: `t${index}` }, object: { ...object, spec } },
    ]);
    const other = { ...key, collection: 'hardware.tinkerbell.org', name: `h${index}` };
    await store.commit([{ operation: 'create', key: other, object }]);
  }
  const seen: number[] = [];
  const inTurns: number[] = [];
  let isWatching = false;
  const countTurns = (): void => {
    inTurns.push(seen.length);
    if (!isWatching) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const { collection } = key;
  const onChange = ({ revision }: { readonly revision: number }): void => void seen.push(revision);
  const watching = store.watch({ collection, fromRevision: 0 }, { onChange, onEnd() {} });
  // Written while it reads, so seen once, after the others.
  await store.commit([{ operation: 'create', key: { ...key, name: 'late' }, object }]);
  assert.ok((await watching).ok);
  isWatching = true;
  assert.deepEqual(
    seen,
    Array.from({ length: 21 }, (_, index) => 2 * index + 1),
  );
  const most = Math.max(...inTurns.map((count, index) => count - (inTurns[index - 1] ?? 0)));
  assert.ok(most < 10, `${most} changes in one turn`);
});
