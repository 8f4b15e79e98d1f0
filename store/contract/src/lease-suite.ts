/** Tests the contract of lease books. Every backend must pass all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease, LeaseBook } from './index.ts';

const mac = '02:00:5e:10:00:01';

function leaseOf(address: string, change: Partial<Lease> = {}): Lease {
  return { address, mac, state: 'leased', untilMs: 1000, ...change };
}

const byAddress = (leases: readonly Lease[]) =>
  leases.toSorted((one, other) => (one.address < other.address ? -1 : 1));

/** Registers the tests for one backend. `open` returns a new, empty book that keeps at most `leasesKept` records. */
export function leaseSuite(
  backend: string,
  open: (options: { leasesKept: number }) => Promise<LeaseBook>,
): void {
  test(`${backend}: a book returns what was written, one record per address`, async () => {
    await using book = await open({ leasesKept: 10 });
    assert.deepEqual(await book.load(), []);
    await book.write(leaseOf('10.0.0.1'));
    await book.write(leaseOf('10.0.0.2', { state: 'declined', untilMs: 3 }));
    await book.write(leaseOf('10.0.0.1', { mac: '02:00:5e:10:00:02', untilMs: 2000 }));
    assert.deepEqual(byAddress(await book.load()), [
      leaseOf('10.0.0.1', { mac: '02:00:5e:10:00:02', untilMs: 2000 }),
      leaseOf('10.0.0.2', { state: 'declined', untilMs: 3 }),
    ]);
  });

  test(`${backend}: simultaneous writes are all stored, and the last one of an address counts`, async () => {
    await using book = await open({ leasesKept: 1000 });
    const written = Array.from({ length: 200 }, (_, index) => leaseOf(`10.0.0.${index}`));
    const again = leaseOf('10.0.0.7', { state: 'released' });
    await Promise.all([...written, again].map((lease) => book.write(lease)));
    const leases = await book.load();
    assert.equal(leases.length, 200);
    assert.deepEqual(
      leases.find(({ address }) => address === '10.0.0.7'),
      again,
    );
  });

  test(`${backend}: forgets the leases that ended longest ago when there are too many`, async () => {
    await using book = await open({ leasesKept: 3 });
    for (const untilMs of [5, 1, 4, 2, 3]) await book.write(leaseOf(`10.0.0.${untilMs}`, { untilMs }));
    const addresses = byAddress(await book.load()).map(({ address }) => address);
    assert.deepEqual(addresses, ['10.0.0.3', '10.0.0.4', '10.0.0.5']);
  });

  test(`${backend}: refuses to write when it is closed`, async () => {
    const book = await open({ leasesKept: 10 });
    await book.close();
    await assert.rejects(book.write(leaseOf('10.0.0.1')), /closed/);
    await book.close();
  });
}
