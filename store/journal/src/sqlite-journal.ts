/**
 * The journal in a SQLite file, which it shares with the store through a second connection. Records wait in memory for at most
 * 100 ms and are written together. A crash loses at most that much. The oldest records are dropped when there are too many or
 * they are too old. The output of actions and the audit of writes have their own tables with their own limits, so that they do
 * not displace timelines, and reading a timeline does not read past them.
 */
import { DatabaseSync } from 'node:sqlite';
import { nextTurn, type Clock, type Log } from '@tinkerbell/platform-contract';
import {
  JOURNAL_BOUNDS,
  ACTION_OUTPUT,
  CONSOLE_OUTPUT,
  matches,
  WRITE_ANSWERED,
  type JournalEntry,
  type JournalQuery,
  type JournalRecord,
  type RestorableJournal,
  type JournalBounds,
} from '@tinkerbell/store-contract';
import {
  assertIntact,
  openAcknowledged,
  openLog,
  setAutocheckpoint,
  type AcknowledgedFile,
  type Checkpoints,
  type LogSync,
} from '@tinkerbell/store-sqlite/integrity';
import { JournalTable, prepareJournalTable, type JournalTableName } from './journal-table.ts';

export interface SqliteJournalOptions extends Partial<JournalBounds> {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** `assertIntact` has just verified the whole file. */
  readonly isVerified?: boolean;
  /** Without it, SQLite checkpoints inside a commit. */
  readonly checkpoints?: Checkpoints;
}

const tableNames: readonly JournalTableName[] = ['journal', 'journal_output', 'journal_audit'];
const WRITE_AFTER_MS = 100;
/**
 * The number of records in one transaction, and the pause before the next when more wait. Packets and requests that arrive
 * meanwhile are answered in between, a millisecond late.
 */
const WRITTEN_AT_ONCE = 64;
const WRITE_ON_AFTER_MS = 2;
/** Queued records beyond this are dropped and counted, because the disk does not accept them. */
const PENDING_LIMIT = 100_000;
/**
 * For a while there may be more records than are kept. Once so many were written, the oldest are removed, at most twice as many of each
 * table, so that a surplus shrinks. This has a transaction of its own, because it takes as long as writing.
 */
const TRIM_EVERY = 128;
const TRIM_AFTER_MS = 1;
/**
 * The maximum age of the newest record whose loss would not be detected, when the file is damaged after a crash. Each sync costs
 * the disk as much as a commit of the store.
 */
const SYNC_AFTER_MS = 1_000;
const READ_LIMIT = 10_000;
const BUSY_TIMEOUT_MS = 1000;

export function openSqliteJournal(options: SqliteJournalOptions): RestorableJournal {
  return new SqliteJournal(options);
}

type Follower = {
  readonly query: Omit<JournalQuery, 'after' | 'limit'>;
  readonly onRecord: (record: JournalRecord) => void;
};

class SqliteJournal implements RestorableJournal {
  readonly #database: DatabaseSync;
  readonly #options: SqliteJournalOptions;
  readonly #followers = new Set<Follower>();
  readonly #timeline: JournalTable;
  readonly #output: JournalTable;
  readonly #audit: JournalTable;
  /** The events whose records are not in the timeline's table. */
  readonly #byEvent: ReadonlyMap<string, JournalTable>;
  #pending: JournalRecord[] = [];
  #sequence: number;
  #sinceTrim = TRIM_EVERY;
  #cancelWrite: (() => void) | undefined;
  #cancelTrim: (() => void) | undefined;
  #dropped = 0;
  readonly #acknowledged: AcknowledgedFile | undefined;
  readonly #log: LogSync | undefined;
  #cancelSync: (() => void) | undefined;
  #syncing: Promise<void> | undefined;
  /** Records were written during a sync, which does not cover them. */
  #isBehind = false;

  constructor(options: SqliteJournalOptions) {
    this.#options = options;
    const { path } = options;
    const isFile = path !== ':memory:';
    if (isFile && options.isVerified !== true) assertIntact(path, ['journal']);
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full');
    const prepare = (): void => prepareJournal(this.#database);
    this.#acknowledged = openAcknowledged(this.#database, { path, part: 'journal', prepare });
    // From here on it syncs by itself, except for checkpoints.
    this.#database.exec('pragma synchronous = normal');
    setAutocheckpoint(this.#database, options.checkpoints);
    this.#log = isFile ? openLog(this.#database, { path }) : undefined;
    this.#timeline = new JournalTable(this.#database, 'journal');
    this.#output = new JournalTable(this.#database, 'journal_output');
    this.#audit = new JournalTable(this.#database, 'journal_audit');
    this.#byEvent = new Map([
      [ACTION_OUTPUT, this.#output],
      [CONSOLE_OUTPUT, this.#output],
      [WRITE_ANSWERED, this.#audit],
    ]);
    const last = Math.max(...this.#tables().map((table) => table.lastSequence()));
    // Followers may have received records that a crash has lost, so their numbers are not reused.
    this.#sequence = last === 0 ? 0 : last + PENDING_LIMIT;
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
    this.#cancelWrite ??= this.#schedule(afterMs, () => {
      this.#cancelWrite = undefined;
      const isWritten = this.#write(WRITTEN_AT_ONCE);
      // Records that the disk did not accept are tried again with the next record.
      if (isWritten && this.#pending.length > 0) this.#scheduleWrite(WRITE_ON_AFTER_MS);
    });
  }

  #scheduleTrim(): void {
    this.#cancelTrim ??= this.#schedule(TRIM_AFTER_MS, () => {
      this.#cancelTrim = undefined;
      this.#sinceTrim -= TRIM_EVERY;
      const isTrimmed = this.#transact(() => this.#trim());
      if (isTrimmed && this.#sinceTrim >= TRIM_EVERY) this.#scheduleTrim();
    });
  }

  /** Calls back when no checkpoint holds writers. */
  #schedule(afterMs: number, callback: () => void): () => void {
    let isCancelled = false;
    const whenOpen = (): void => {
      if (!isCancelled) callback();
    };
    const cancel = this.#options.clock.schedule(afterMs, () => {
      const held = this.#options.checkpoints?.held;
      if (held === undefined) whenOpen();
      else void held.then(whenOpen);
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /**
   * Writes the oldest `count` of the queued records, or all of them when it is absent. Returns false when the disk did not accept
   * them.
   */
  #write(count = this.#pending.length): boolean {
    const records = this.#pending.slice(0, count);
    if (records.length === 0) return true;
    const isWritten = this.#transact(() => {
      for (const record of records) this.#tableOf(record).insert(record);
    });
    if (!isWritten) return false;
    this.#pending.splice(0, records.length);
    this.#reportDropped();
    this.#sinceTrim += records.length;
    if (this.#sinceTrim >= TRIM_EVERY) this.#scheduleTrim();
    return true;
  }

  /** Writes all records that are queued now. Packets and requests are answered in between. */
  async #writeAll(): Promise<void> {
    const last = this.#sequence;
    for (let isWritten = true; isWritten && this.#waitsUntil(last);) {
      await this.#options.checkpoints?.held;
      isWritten = this.#write(WRITTEN_AT_ONCE);
      if (this.#waitsUntil(last)) await nextTurn();
    }
  }

  #waitsUntil(sequence: number): boolean {
    const [oldest] = this.#pending;
    return oldest !== undefined && oldest.sequence <= sequence;
  }

  /** Returns false when the disk did not accept the changes. */
  #transact(change: () => void): boolean {
    try {
      this.#database.exec('begin immediate');
      change();
      for (const table of this.#tables()) table.save();
      this.#database.exec('commit');
      this.#acknowledgeSoon();
      this.#options.checkpoints?.written(this.#database);
      return true;
    } catch (thrown) {
      this.#options.log.error('journal could not write', {
        error: String(thrown),
        waiting: this.#pending.length,
      });
      if (this.#database.isTransaction) this.#database.exec('rollback');
      for (const table of this.#tables()) table.rolledBack();
      return false;
    }
  }

  /** The loss of records that are on the disk is detected. A crash may take the others. */
  #acknowledgeSoon(): void {
    if (this.#log === undefined) return;
    this.#isBehind = this.#syncing !== undefined;
    if (this.#isBehind) return;
    this.#cancelSync ??= this.#options.clock.schedule(SYNC_AFTER_MS, () => void this.#acknowledge());
  }

  /** Never rejects. Records that the disk did not confirm are not acknowledged, and the next record tries again. */
  #acknowledge(): Promise<void> {
    this.#cancelSync?.();
    this.#cancelSync = undefined;
    const tallies = Object.fromEntries(this.#tables().map((table) => [table.name, table.tally()]));
    this.#syncing ??= (this.#log?.run() ?? Promise.resolve())
      .then(() => this.#acknowledged?.write(tallies))
      .catch((thrown: unknown) =>
        this.#options.log.warn('the disk does not confirm the journal', { error: String(thrown) }),
      )
      .finally(() => {
        this.#syncing = undefined;
        if (this.#isBehind && this.#database.isOpen) this.#acknowledgeSoon();
      });
    return this.#syncing;
  }

  async restore(records: readonly JournalRecord[]): Promise<void> {
    await this.#options.checkpoints?.held;
    this.#database.exec('begin immediate');
    try {
      for (const record of records) this.#tableOf(record).restore(record);
      for (const table of this.#tables()) table.save();
      this.#database.exec('commit');
    } catch (thrown) {
      this.#database.exec('rollback');
      for (const table of this.#tables()) table.rolledBack();
      throw thrown;
    }
    this.#acknowledgeSoon();
    for (const { sequence } of records) this.#sequence = Math.max(this.#sequence, sequence);
  }

  #tableOf({ event }: JournalEntry): JournalTable {
    return this.#byEvent.get(event) ?? this.#timeline;
  }

  #tables(): readonly JournalTable[] {
    return [this.#timeline, this.#output, this.#audit];
  }

  #trim(): void {
    const { clock, ...given } = this.#options;
    const { recordsKept, outputLinesKept, auditRecordsKept, ageKeptMs } = { ...JOURNAL_BOUNDS, ...given };
    const oldestMs = clock.nowMs() - ageKeptMs;
    const atMost = 2 * TRIM_EVERY;
    this.#timeline.trim({ kept: recordsKept, oldestMs, atMost });
    this.#output.trim({ kept: outputLinesKept, oldestMs, atMost });
    this.#audit.trim({ kept: auditRecordsKept, oldestMs, atMost });
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#options.log.warn('journal lost records while the disk did not take them', {
      records: this.#dropped,
    });
    this.#dropped = 0;
  }

  async read(query: JournalQuery): Promise<readonly JournalRecord[]> {
    await this.#writeAll();
    await this.#options.checkpoints?.held;
    const count = Math.min(query.limit ?? READ_LIMIT, READ_LIMIT);
    const others = query.events?.filter((event) => !this.#byEvent.has(event));
    const wantsTimeline = others === undefined || others.length > 0;
    const timeline = wantsTimeline ? this.#timeline.read(query, others, count) : [];
    const byEvent = [this.#output, this.#audit].map((table) => this.#readByName(table, query, count));
    const all = [...timeline, ...byEvent.flat()].toSorted((a, b) => a.sequence - b.sequence);
    return all.slice(0, count);
  }

  #readByName(table: JournalTable, query: JournalQuery, count: number): readonly JournalRecord[] {
    const events = query.events?.filter((event) => this.#byEvent.get(event) === table) ?? [];
    if (events.length === 0) return [];
    // What a machine prints belongs to no workflow. Without a filter, a page of a long log does not read all of it.
    const isOfWorkflows = query.machines === undefined && query.workflows !== undefined;
    return table.read(query, isOfWorkflows ? undefined : events, count);
  }

  follow(
    query: Omit<JournalQuery, 'after' | 'limit'>,
    onRecord: (record: JournalRecord) => void,
  ): () => void {
    const follower = { query, onRecord };
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  async close(): Promise<void> {
    if (!this.#database.isOpen) return;
    await this.#options.checkpoints?.held;
    this.#write();
    this.#cancelWrite?.();
    this.#cancelTrim?.();
    this.#followers.clear();
    await this.#syncing;
    await this.#acknowledge();
    await this.#log?.close();
    await this.#acknowledged?.close();
    this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Creates the tables, or adds their checksums, in one transaction. */
export function prepareJournal(database: DatabaseSync): void {
  database.exec('begin immediate');
  try {
    for (const name of tableNames) prepareJournalTable(database, name);
    database.exec('commit');
  } catch (thrown) {
    database.exec('rollback');
    throw thrown;
  }
}
