/** Stores whose log is checkpointed in another thread, as often as possible. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { storeModelSuite } from '@tinkerbell/store-contract/model-suite';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { Checkpoints, openSqliteStore } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-checkpoints-'));
const opened: Checkpoints[] = [];
after(async () => {
  for (const checkpoints of opened) await checkpoints.close();
  rmSync(folder, { recursive: true });
});

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

function newFile(
  pages: number,
  idleMs?: number,
): { readonly path: string; readonly checkpoints: Checkpoints } {
  const path = join(folder, `${opened.length}.db`);
  const checkpoints = new Checkpoints({ path, log, pages, ...(idleMs === undefined ? {} : { idleMs }) });
  opened.push(checkpoints);
  return { path, checkpoints };
}

const newStore = (options: { readonly changesKept: number }) =>
  Promise.resolve(openSqliteStore({ ...newFile(1), log, ...options }));
storeSuite('sqlite with checkpoints', newStore);
storeModelSuite('sqlite with checkpoints', newStore, 20);

test('the log has started anew before the writers continue', async () => {
  const { path, checkpoints } = newFile(1);
  await using store = openSqliteStore({ path, log, checkpoints });
  assert.ok((await store.commit([{ operation: 'create', ...objectNamed('a') }])).ok);
  using database = new DatabaseSync(path);
  const frames = () => Number(database.prepare('pragma wal_checkpoint(noop)').get()?.['log']);
  for (let index = 0; checkpoints.held === undefined; index++) {
    // On a busy machine, a checkpoint may begin and end between two looks.
    if (frames() <= 1) await store.commit([{ operation: 'create', ...objectNamed(`o${index}`) }]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await checkpoints.held;
  assert.equal(frames(), 1);
});

test('a thread without work ends, and the next checkpoint starts another one', async () => {
  const { path, checkpoints } = newFile(1, 0);
  await using store = openSqliteStore({ path, log, checkpoints });
  for (let round = 0; round < 2; round++) {
    for (let index = 0; threads() === 0; index++)
      assert.ok((await store.commit([{ operation: 'create', ...objectNamed(`r${round}-${index}`) }])).ok);
    while (threads() > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(checkpoints.held, undefined);
});

test('a thread that fails is reported, and the writers continue', async () => {
  const { path } = newFile(1);
  const reported: string[] = [];
  const checkpoints = new Checkpoints({
    path: join(folder, 'absent', 'tinkerbell.db'),
    log: { ...log, warn: (message) => void reported.push(message) },
    pages: 1,
  });
  opened.push(checkpoints);
  await using store = openSqliteStore({ path, log, checkpoints });
  for (let index = 0; reported.length === 0; index++)
    assert.ok((await store.commit([{ operation: 'create', ...objectNamed(`o${index}`) }])).ok);
  assert.equal(checkpoints.held, undefined);
  assert.ok((await store.commit([{ operation: 'create', ...objectNamed('last') }])).ok);
});

/** How many threads Node runs besides this one. */
function threads(): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's types have no report.
  const { workers } = process.report.getReport() as { readonly workers: readonly unknown[] };
  return workers.length;
}

function objectNamed(name: string) {
  const metadata = { name, namespace: 'default', annotations: { filler: 'x'.repeat(5_000) } };
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name };
  return { key, object: { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Template', metadata } };
}
