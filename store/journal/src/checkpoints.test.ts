/** The connections of a server to its one file, whose log is checkpointed in another thread. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import type { Lease } from '@tinkerbell/store-contract';
import { Checkpoints, openSqliteLeaseBook, openSqliteStore } from '@tinkerbell/store-sqlite';
import { verifyDatabase } from '@tinkerbell/store-sqlite/integrity';
import { openSqliteJournal } from './index.ts';

const PAGES = 50;

test('store, journal and leases write on while their log starts anew again and again, and nothing is lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-checkpoints-'));
  const path = join(folder, 'tinkerbell.db');
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const log: Log = { debug() {}, info() {}, warn, error: warn, child: () => log };
  await using checkpoints = new Checkpoints({ path, log, pages: PAGES });
  const lease = (index: number): Lease => ({
    address: `10.0.${index >> 8}.${index & 255}`,
    mac: '02:00:5e:10:00:01',
    state: 'leased',
    untilMs: index,
  });
  let restarts = 0;
  {
    await using file = new AsyncDisposableStack();
    const store = file.use(openSqliteStore({ path, log, checkpoints }));
    const journal = file.use(openSqliteJournal({ path, log, checkpoints, clock: nodeClock }));
    const leases = file.use(openSqliteLeaseBook({ path, checkpoints }));
    for (let index = 0; restarts < 5; index++) {
      journal.append({ source: 'server', event: 'written', message: `record ${index}` });
      const [stored] = await Promise.all([
        store.commit([{ operation: 'create', ...objectNamed(`o${index}`) }]),
        leases.write(lease(index)),
        journal.read({ after: 0, limit: 1 }),
      ]);
      assert.ok(stored.ok);
      if (checkpoints.held !== undefined) {
        restarts += 1;
        await checkpoints.held;
      }
    }
    const { items } = await store.list({ collection: 'templates.tinkerbell.org' });
    assert.equal((await leases.load()).length, items.length);
    assert.equal((await journal.read({ after: 0 })).length, items.length);
  }
  await checkpoints.close();
  assert.deepEqual(verifyDatabase(path, { depth: 'full' }).damages, []);
  assert.deepEqual(warnings, []);
  rmSync(folder, { recursive: true });
});

function objectNamed(name: string) {
  const metadata = { name, namespace: 'default', annotations: { filler: 'x'.repeat(5_000) } };
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name };
  return { key, object: { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Template', metadata } };
}
