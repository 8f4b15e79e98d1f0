/**
 * The journal in a SQLite file (the store's own, through a second connection). Records wait in memory for at
 * most 100 ms and are written together; a crash may lose that much, never more. The oldest records go when there
 * are too many or they are too old.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import {
  matches,
  type Journal,
  type JournalEntry,
  type JournalQuery,
  type JournalRecord,
} from '@tinkerbell/store-contract';

export interface SqliteJournalOptions {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly recordsKept?: number;
  readonly daysKept?: number;
}

const RECORDS_KEPT = 1_000_000;
const DAYS_KEPT = 90;
const WRITE_AFTER_MS = 100;
/**
 * Records of one transaction, and the pause before the next when more wait: packets and requests that come meanwhile are
 * answered in between, a few milliseconds late at most.
 */
const WRITTEN_AT_ONCE = 250;
const WRITE_ON_AFTER_MS = 2;
/** Records that wait beyond this are dropped and counted: the disk is not taking them. */
const PENDING_LIMIT = 100_000;
const TRIM_EVERY = 10_000;
const READ_LIMIT = 10_000;
const BUSY_TIMEOUT_MS = 1000;
const DAY_MS = 86_400_000;

export function openSqliteJournal(options: SqliteJournalOptions): Journal {
  return new SqliteJournal(options);
}

type Follower = {
  readonly query: Omit<JournalQuery, 'after' | 'limit'>;
  readonly onRecord: (record: JournalRecord) => void;
};

class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #options: SqliteJournalOptions;
  readonly #followers = new Set<Follower>();
  #pending: JournalRecord[] = [];
  #sequence: number;
  #sinceTrim = TRIM_EVERY;
  #cancelWrite: (() => void) | undefined;
  #dropped = 0;

  constructor(options: SqliteJournalOptions) {
    this.#options = options;
    this.#database = new DatabaseSync(options.path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = normal');
    this.#database.exec(`
      create table if not exists journal (
        sequence integer primary key, at_ms integer not null, machine text, workflow text, record text not null);
      create index if not exists journal_machine on journal (machine, sequence) where machine is not null;
      create index if not exists journal_workflow on journal (workflow, sequence) where workflow is not null;`);
    this.#sequence = Number(
      this.#database.prepare('select max(sequence) as last from journal').get()?.['last'] ?? 0,
    );
  }

  append(entry: JournalEntry): void {
    if (this.#pending.length >= PENDING_LIMIT) {
      this.#dropped += 1;
      return;
    }
    this.#sequence += 1;
    const record: JournalRecord = { ...entry, sequence: this.#sequence, atMs: this.#options.clock.nowMs() };
    this.#pending.push(record);
    this.#scheduleWrite(WRITE_AFTER_MS);
    for (const follower of this.#followers) {
      if (matches(follower.query, record)) follower.onRecord(record);
    }
  }

  #scheduleWrite(afterMs: number): void {
    this.#cancelWrite ??= this.#options.clock.schedule(afterMs, () => {
      const isWritten = this.#write(WRITTEN_AT_ONCE);
      // What the disk did not take is tried again with the next record.
      if (isWritten && this.#pending.length > 0) this.#scheduleWrite(WRITE_ON_AFTER_MS);
    });
  }

  /** The oldest `count` of the records that wait; all of them when it is absent. False when the disk did not take them. */
  #write(count = this.#pending.length): boolean {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#pending.length === 0) return true;
    try {
      this.#insert(this.#pending.slice(0, count));
      this.#pending = this.#pending.slice(count);
      this.#reportDropped();
      return true;
    } catch (thrown) {
      this.#options.log.error('journal could not write', {
        error: String(thrown),
        waiting: this.#pending.length,
      });
      if (this.#database.isTransaction) this.#database.exec('rollback');
      return false;
    }
  }

  #insert(records: readonly JournalRecord[]): void {
    this.#database.exec('begin immediate');
    const insert = this.#database.prepare('insert into journal values (?, ?, ?, ?, ?)');
    for (const record of records) {
      insert.run(
        record.sequence,
        record.atMs,
        record.machine ?? null,
        record.workflow ?? null,
        JSON.stringify(record),
      );
    }
    this.#sinceTrim += records.length;
    if (this.#sinceTrim >= TRIM_EVERY) this.#trim();
    this.#database.exec('commit');
  }

  #trim(): void {
    this.#sinceTrim = 0;
    const oldest = this.#sequence - (this.#options.recordsKept ?? RECORDS_KEPT);
    const oldestMs = this.#options.clock.nowMs() - (this.#options.daysKept ?? DAYS_KEPT) * DAY_MS;
    // Times have no index. Records lie in the order of their sequence, so that this looks at what it deletes and no more.
    const young = this.#database
      .prepare('select sequence from journal where at_ms >= ? order by sequence limit 1')
      .get(oldestMs);
    const firstYoung = Number(young?.['sequence'] ?? 0);
    this.#database.prepare('delete from journal where sequence < ?').run(Math.max(oldest + 1, firstYoung));
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#options.log.warn('journal lost records while the disk did not take them', {
      records: this.#dropped,
    });
    this.#dropped = 0;
  }

  read(query: JournalQuery): Promise<readonly JournalRecord[]> {
    return new Promise((resolve) => {
      this.#write();
      const machines = JSON.stringify(query.machines ?? []);
      const workflows = JSON.stringify(query.workflows ?? []);
      const all = query.machines === undefined && query.workflows === undefined;
      const where = all
        ? 'sequence > :after'
        : `sequence in (
            select sequence from journal where machine in (select value from json_each(:machines)) and sequence > :after
            union select sequence from journal where workflow in (select value from json_each(:workflows)) and sequence > :after)`;
      const rows = this.#database
        .prepare(`select record from journal where ${where} order by sequence limit :count`)
        .all({
          after: query.after,
          count: Math.min(query.limit ?? READ_LIMIT, READ_LIMIT),
          ...(all ? {} : { machines, workflows }),
        });
      resolve(rows.map((row) => JSON.parse(String(row['record'])) as JournalRecord));
    });
  }

  follow(
    query: Omit<JournalQuery, 'after' | 'limit'>,
    onRecord: (record: JournalRecord) => void,
  ): () => void {
    const follower = { query, onRecord };
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  close(): Promise<void> {
    this.#write();
    this.#cancelWrite?.();
    this.#followers.clear();
    if (this.#database.isOpen) this.#database.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
