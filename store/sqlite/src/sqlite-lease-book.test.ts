import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import type { Lease } from '@tinkerbell/store-contract';
import { leaseSuite } from '@tinkerbell/store-contract/lease-suite';
import { openSqliteLeaseBook, openSqliteStore } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

leaseSuite('sqlite', (options) => Promise.resolve(openSqliteLeaseBook({ path: ':memory:', ...options })));

test("leases are in the store's own file, and visible to another connection as soon as they are written", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-leases-'));
  const path = join(folder, 'tinkerbell.db');
  const lease: Lease = { address: '10.0.0.1', mac: '02:00:5e:10:00:01', state: 'leased', untilMs: 7 };
  {
    await using store = openSqliteStore({ path, log });
    await using book = openSqliteLeaseBook({ path });
    await book.write(lease);
    await using other = openSqliteLeaseBook({ path });
    assert.deepEqual(await other.load(), [lease]);
    assert.equal(await store.revision(), 0);
  }
  // The store accepts the file with the additional table.
  await openSqliteStore({ path, log }).close();
  rmSync(folder, { recursive: true });
});
