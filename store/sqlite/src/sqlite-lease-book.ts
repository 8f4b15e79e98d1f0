/**
 * Leases in a SQLite file (the store's own, through a second connection), synchronised fully: a lease is on the disk before
 * the machine hears of it. What is written in one turn of the event loop shares one transaction and one sync.
 */
import { DatabaseSync } from 'node:sqlite';
import { LEASES_KEPT, type Lease, type LeaseBook } from '@tinkerbell/store-contract';

export interface SqliteLeaseBookOptions {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly leasesKept?: number;
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

  constructor({ path, leasesKept = LEASES_KEPT }: SqliteLeaseBookOptions) {
    this.#leasesKept = leasesKept;
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full');
    this.#database.exec(`
      create table if not exists leases (
        address text primary key, mac text not null, state text not null, until_ms integer not null) without rowid;
      create index if not exists leases_until on leases (until_ms);`);
  }

  load(): Promise<readonly Lease[]> {
    return new Promise((resolve) => {
      const rows = this.#database.prepare('select address, mac, state, until_ms from leases').all();
      resolve(
        rows.map((row) => ({
          address: String(row['address']),
          mac: String(row['mac']),
          state: String(row['state']) as Lease['state'],
          untilMs: Number(row['until_ms']),
        })),
      );
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
    const insert = this.#database.prepare('insert or replace into leases values (?, ?, ?, ?)');
    for (const { lease } of group) insert.run(lease.address, lease.mac, lease.state, lease.untilMs);
    this.#database
      .prepare(
        `delete from leases where address in (
           select address from leases order by until_ms limit max(0, (select count(*) from leases) - ?))`,
      )
      .run(this.#leasesKept);
    this.#database.exec('commit');
  }

  close(): Promise<void> {
    if (!this.#database.isOpen) return Promise.resolve();
    this.#flush();
    this.#database.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
