/**
 * Leases in PostgreSQL. Unlike a file, several servers may write it. An address that another server has leased to another machine
 * is not assigned again: the write rejects, and the lease is not acknowledged.
 */
import { nextTurn, type Clock, type Log } from '@tinkerbell/platform-contract';
import { LEASES_KEPT, leaseFrom, type Lease, type LeaseBook } from '@tinkerbell/store-contract';
import { BEGIN_DURABLY } from './begin-durably.ts';
import { openDatabase, type Database } from './database.ts';

export interface PostgresLeaseBookOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly leasesKept?: number;
}

interface PendingWrite {
  readonly lease: Lease;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Rejects when PostgreSQL cannot be reached. */
export async function openPostgresLeaseBook(options: PostgresLeaseBookOptions): Promise<LeaseBook> {
  return new PostgresLeaseBook(await openDatabase({ ...options, connectionsMax: 2 }), options);
}

class PostgresLeaseBook implements LeaseBook {
  readonly #database: Database;
  readonly #options: PostgresLeaseBookOptions;
  #pending: PendingWrite[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database, options: PostgresLeaseBookOptions) {
    this.#database = database;
    this.#options = options;
  }

  async load(): Promise<readonly Lease[]> {
    const rows = await this.#database.read('select address, mac, state, until_ms from tinkerbell.leases');
    return rows.map((row) => leaseFrom(row));
  }

  write(lease: Lease): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('the lease book is closed');
      this.#pending.push({ lease, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    await nextTurn();
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0);
      try {
        const taken = await this.#insert(lastOfEach(group));
        for (const { lease, resolve, reject } of group) {
          if (taken.has(lease.address)) resolve();
          else reject(new Error(`another server assigned ${lease.address} to another machine`));
        }
      } catch (thrown) {
        for (const { reject } of group) reject(thrown);
      }
    }
    this.#writing = undefined;
  }

  /** The addresses that were written. */
  #insert(leases: readonly Lease[]): Promise<ReadonlySet<string>> {
    const kept = this.#options.leasesKept ?? LEASES_KEPT;
    return this.#database.withConnection(async (client) => {
      await client.query(BEGIN_DURABLY);
      const { rows } = await client.query<{ address: string }>(
        `insert into tinkerbell.leases as l
         select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) order by 1
         on conflict (address) do update
           set mac = excluded.mac, state = excluded.state, until_ms = excluded.until_ms
           where l.mac = excluded.mac or l.state <> 'leased' or l.until_ms <= $5 or excluded.state = 'declined'
         returning address`,
        [
          leases.map(({ address }) => address),
          leases.map(({ mac }) => mac),
          leases.map(({ state }) => state),
          leases.map(({ untilMs }) => untilMs),
          this.#options.clock.nowMs(),
        ],
      );
      await client.query(
        `delete from tinkerbell.leases where address in (
           select address from tinkerbell.leases order by until_ms
           limit greatest(0, (select count(*) from tinkerbell.leases) - $1))`,
        [kept],
      );
      await client.query('commit');
      return new Set(rows.map(({ address }) => address));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function lastOfEach(group: readonly PendingWrite[]): readonly Lease[] {
  return [...new Map(group.map(({ lease }) => [lease.address, lease])).values()];
}
