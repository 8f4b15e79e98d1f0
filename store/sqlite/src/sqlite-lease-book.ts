/**
 * Leases in a SQLite file, which it shares with the store through a second connection. A lease is on the disk before its write
 * resolves. Writes of one turn of the event loop, and those that arrive during a sync, share one transaction and one sync, which
 * runs beside the event loop.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { nextTurn, PlatformError } from '@tinkerbell/platform-contract';
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
  type Tally,
} from './integrity/index.ts';
import { setAutocheckpoint, type Checkpoints } from './checkpoints.ts';
import { openLog, type LogSync, type SyncLog } from './log-sync.ts';

export interface SqliteLeaseBookOptions {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly leasesKept?: number;
  /** `assertIntact` has just verified the whole file. */
  readonly isVerified?: boolean;
  /** Without it, SQLite checkpoints inside a commit. */
  readonly checkpoints?: Checkpoints;
  /** Syncs the log to the disk. Tests of slow and failing disks replace it. */
  readonly syncLog?: SyncLog;
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
  readonly #acknowledged: AcknowledgedFile | undefined;
  readonly #tallies: Tallies;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #log: LogSync | undefined;
  #pending: PendingWrite[] = [];
  /** Resolves when nothing is queued. */
  #flushing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SqliteLeaseBookOptions) {
    const { path, leasesKept = LEASES_KEPT, isVerified = false } = options;
    this.#leasesKept = leasesKept;
    const isFile = path !== ':memory:';
    if (isFile && !isVerified) assertIntact(path, ['leases']);
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full');
    const prepare = (): void => prepareLeases(this.#database);
    this.#acknowledged = openAcknowledged(this.#database, { path, part: 'leases', prepare });
    this.#tallies = new Tallies(this.#database);
    // From here on it syncs by itself, except for checkpoints.
    this.#database.exec('pragma synchronous = normal');
    this.#checkpoints = options.checkpoints;
    setAutocheckpoint(this.#database, this.#checkpoints);
    this.#log = isFile ? openLog(this.#database, options) : undefined;
  }

  load(): Promise<readonly Lease[]> {
    return new Promise((resolve) => {
      const rows = this.#database.prepare('select * from leases').all();
      resolve(rows.map(intactLeaseFrom));
    });
  }

  write(lease: Lease): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('the lease book is closed');
      this.#pending.push({ lease, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    await nextTurn();
    while (this.#pending.length > 0) {
      await this.#checkpoints?.held;
      const group = this.#pending;
      this.#pending = [];
      await this.#makeDurable(group).then(
        () => group.forEach(({ resolve }) => resolve()),
        (thrown: unknown) => group.forEach(({ reject }) => reject(thrown)),
      );
    }
    this.#flushing = undefined;
  }

  async #makeDurable(group: readonly PendingWrite[]): Promise<void> {
    let tally: Tally;
    try {
      tally = this.#insert(group);
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw thrown;
    }
    await this.#log?.run();
    this.#acknowledged?.write({ leases: tally });
    this.#checkpoints?.written(this.#database);
  }

  #insert(group: readonly PendingWrite[]): Tally {
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
    return tally;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#flushing;
    await this.#log?.close();
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
