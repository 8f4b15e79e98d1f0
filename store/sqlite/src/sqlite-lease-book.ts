/**
 * Leases in a SQLite file, which it shares with the store through a second connection. Writes are fully synchronised: a lease is
 * on the disk before the reply is sent. Writes in one turn of the event loop share one transaction and one sync.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { PlatformError } from '@tinkerbell/platform-contract';
import { LEASES_KEPT, leaseFrom, type Lease, type LeaseBook } from '@tinkerbell/store-contract';
import {
  addTo,
  assertIntact,
  guardTable,
  openAcknowledged,
  rowChecksum,
  takeFrom,
  Tallies,
  type AcknowledgedFile,
} from './integrity/index.ts';

export interface SqliteLeaseBookOptions {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly leasesKept?: number;
  /** `assertIntact` has just verified the whole file. */
  readonly isVerified?: boolean;
}

const BUSY_TIMEOUT_MS = 1000;

interface PendingWrite {
  readonly lease: Lease;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Throws when the file cannot be opened. */
export function openSqliteLeaseBook(options: SqliteLeaseBookOptions): LeaseBook {
  return new SqliteLeaseBook(options);
}

class SqliteLeaseBook implements LeaseBook {
  readonly #database: DatabaseSync;
  readonly #leasesKept: number;
  #pending: PendingWrite[] = [];

  readonly #acknowledged: AcknowledgedFile | undefined;
  readonly #tallies: Tallies;

  constructor({ path, leasesKept = LEASES_KEPT, isVerified = false }: SqliteLeaseBookOptions) {
    this.#leasesKept = leasesKept;
    if (path !== ':memory:' && !isVerified) assertIntact(path, ['leases']);
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full');
    const prepare = (): void => prepareLeases(this.#database);
    this.#acknowledged = openAcknowledged(this.#database, { path, part: 'leases', prepare });
    this.#tallies = new Tallies(this.#database);
  }

  load(): Promise<readonly Lease[]> {
    return new Promise((resolve) => {
      const rows = this.#database.prepare('select * from leases').all();
      resolve(rows.map(intactLeaseFrom));
    });
  }

  write(lease: Lease): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#database.isOpen) throw new Error('the lease book is closed');
      this.#pending.push({ lease, resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const group = this.#pending;
    this.#pending = [];
    if (group.length === 0) return;
    try {
      this.#insert(group);
    } catch (thrown) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback');
      for (const { reject } of group) reject(thrown);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  #insert(group: readonly PendingWrite[]): void {
    this.#database.exec('begin immediate');
    const tally = this.#tallies.load('leases');
    const known = this.#database.prepare('select checksum from leases where address = ?');
    const insert = this.#database.prepare('insert or replace into leases values (?, ?, ?, ?, ?)');
    for (const lease of group.map((one) => one.lease)) {
      const before = known.get(lease.address);
      if (before !== undefined) takeFrom(tally, Number(before['checksum']));
      const columns = [lease.address, lease.mac, lease.state, lease.untilMs] as const;
      const checksum = rowChecksum(columns);
      insert.run(...columns, checksum);
      addTo(tally, checksum);
    }
    const dropped = this.#database
      .prepare(
        `delete from leases where address in (select address from leases order by until_ms limit ?)
         returning checksum`,
      )
      .all(Math.max(0, tally.rows - this.#leasesKept));
    for (const row of dropped) takeFrom(tally, Number(row['checksum']));
    tally.version += 1;
    this.#tallies.save('leases', tally);
    this.#database.exec('commit');
    this.#acknowledged?.write({ leases: tally });
  }

  async close(): Promise<void> {
    if (!this.#database.isOpen) return;
    this.#flush();
    await this.#acknowledged?.close();
    this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Creates the table, or adds its checksums, in one transaction. */
export function prepareLeases(database: DatabaseSync): void {
  database.exec('begin immediate');
  try {
    database.exec(`
      create table if not exists leases (
        address text primary key, mac text not null, state text not null, until_ms integer not null) without rowid;
      create index if not exists leases_until on leases (until_ms);`);
    guardTable(database, 'leases');
    database.exec('commit');
  } catch (thrown) {
    database.exec('rollback');
    throw thrown;
  }
}

function intactLeaseFrom(row: Readonly<Record<string, SQLOutputValue>>): Lease {
  const { address, mac, state, until_ms: untilMs, checksum } = row;
  if (checksum !== rowChecksum([address, mac, state, untilMs]))
    throw new PlatformError(
      'damaged',
      `the lease of ${String(address)} does not match its checksum; run tinkerbell check, and restore a backup`,
    );
  return leaseFrom(row);
}
