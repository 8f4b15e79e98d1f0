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

test('a lease waits for its sync, those that arrive meanwhile share the next one, and a failed sync rejects', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-leases-'));
  const syncs: PromiseWithResolvers<void>[] = [];
  const syncLog = (): Promise<void> => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  };
  const written: string[] = [];
  {
    await using book = openSqliteLeaseBook({ path: join(folder, 'tinkerbell.db'), syncLog });
    const write = (address: string) =>
      book.write({ address, mac: '02:00:5e:10:00:01', state: 'leased', untilMs: 7 }).then(
        () => void written.push(address),
        (thrown: unknown) => void written.push(`${address}: ${String(thrown)}`),
      );
    const first = write('10.0.0.1');
    while (syncs.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const others = [write('10.0.0.2'), write('10.0.0.3')];
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([written, syncs.length], [[], 1]);
    syncs[0]?.resolve();
    await first;
    while (syncs.length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(written, ['10.0.0.1']);
    syncs[1]?.reject(new Error('EIO'));
    await Promise.all(others);
    assert.deepEqual(written, ['10.0.0.1', '10.0.0.2: Error: EIO', '10.0.0.3: Error: EIO']);
    const last = write('10.0.0.4');
    while (syncs.length < 3) await new Promise((resolve) => setImmediate(resolve));
    syncs[2]?.resolve();
    await last;
    assert.equal(written.at(-1), '10.0.0.4');
  }
  rmSync(folder, { recursive: true });
});
