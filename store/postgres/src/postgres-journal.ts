/**
 * The journal in PostgreSQL, for any number of servers at once. Records wait in memory for at most 100 ms and are written
 * together. A crash may lose that much. They get their numbers as they are written, while the single counter is locked, so a
 * reader that has read up to a number has missed nothing below it, whichever server wrote it. Followers receive the records that
 * any server has written.
 */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import {
  JOURNAL_BOUNDS,
  matches,
  type JournalEntry,
  type JournalQuery,
  type JournalRecord,
  type RestorableJournal,
  type JournalBounds,
} from '@tinkerbell/store-contract';
import { openDatabase, type Database } from './database.ts';
import {
  insertRecords,
  JOURNAL_CHANNEL,
  readRecords,
  recordsAfter,
  restoreRecords,
  trimRecords,
} from './journal-tables.ts';
import { followNotifications } from './notifications.ts';

export interface PostgresJournalOptions extends Partial<JournalBounds> {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}

const WRITE_AFTER_MS = 100;
/** Records that the database did not accept are retried after this time. */
const WRITE_AGAIN_AFTER_MS = 1_000;
const WRITTEN_AT_ONCE = 1_000;
/** Queued records beyond this are dropped and counted, because the database does not accept them. */
const PENDING_LIMIT = 100_000;
const TRIM_EVERY = 10_000;
const READ_LIMIT = 10_000;
const CONNECTIONS_MAX = 4;

export async function openPostgresJournal(options: PostgresJournalOptions): Promise<RestorableJournal> {
  return new PostgresJournal(await openDatabase({ ...options, connectionsMax: CONNECTIONS_MAX }), options);
}

/** Before it has its number. */
type UnwrittenRecord = Omit<JournalRecord, 'sequence'>;

interface Follower {
  readonly query: Omit<JournalQuery, 'after' | 'limit'>;
  readonly onRecord: (record: JournalRecord) => void;
  /** The last number before it, which is known once the earlier records have been written. */
  after: number;
}

class PostgresJournal implements RestorableJournal {
  readonly #database: Database;
  readonly #options: PostgresJournalOptions;
  readonly #followers = new Set<Follower>();
  readonly #notifications: { stop(): Promise<void> };
  #pending: UnwrittenRecord[] = [];
  /** Writes and reads run one after the other. */
  #work: Promise<unknown> = Promise.resolve();
  #horizon: Promise<number> | undefined;
  #told = 0;
  /** The number of records that this server has ever appended. */
  #appended = 0;
  #written = 0;
  #sinceTrim = TRIM_EVERY;
  #cancelWrite: (() => void) | undefined;
  #dropped = 0;
  #isClosed = false;

  constructor(database: Database, options: PostgresJournalOptions) {
    this.#database = database;
    this.#options = options;
    this.#notifications = followNotifications({
      database,
      channel: JOURNAL_CHANNEL,
      clock: options.clock,
      log: options.log,
      wake: (sequence) => {
        const isNews = sequence === '' || Number(sequence) > this.#told;
        if (isNews && this.#followers.size > 0) void this.#inTurn(() => this.#tell());
      },
    });
  }

  append(entry: JournalEntry): void {
    if (this.#pending.length >= PENDING_LIMIT || this.#isClosed) {
      this.#dropped += 1;
      return;
    }
    this.#appended += 1;
    this.#pending.push({ ...entry, atMs: this.#options.clock.nowMs() });
    this.#scheduleWrite(WRITE_AFTER_MS);
  }

  #scheduleWrite(afterMs: number): void {
    this.#cancelWrite ??= this.#options.clock.schedule(afterMs, () => {
      this.#cancelWrite = undefined;
      void this.#inTurn(() => this.#write());
    });
  }

  /** The failure is logged, and the next task runs. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#work.then(work);
    this.#work = result.catch((thrown: unknown) => {
      this.#options.log.error('journal failed', { error: String(thrown), waiting: this.#pending.length });
    });
    result.catch(() => undefined);
    return result;
  }

  /** Writes the first `upTo` records that this server appended. Resolves with the number of the last record of any server. */
  async #write(upTo = this.#appended): Promise<number> {
    let sequence: number | undefined;
    while (this.#written < upTo) {
      const records = this.#pending.slice(0, Math.min(upTo - this.#written, WRITTEN_AT_ONCE));
      try {
        sequence = await insertRecords(this.#database, records);
      } catch (thrown) {
        this.#scheduleWrite(WRITE_AGAIN_AFTER_MS);
        throw thrown;
      }
      this.#pending.splice(0, records.length);
      this.#written += records.length;
      this.#sinceTrim += records.length;
    }
    this.#reportDropped();
    if (this.#sinceTrim >= TRIM_EVERY) await this.#trim();
    sequence ??= await this.#lastSequence();
    if (this.#followers.size > 0) await this.#tell();
    return sequence;
  }

  async #lastSequence(): Promise<number> {
    const [row] = await this.#database.read('select sequence from tinkerbell.journal_counter');
    return Number(row?.['sequence']);
  }

  /** Returns every record that followers have not received, in order. */
  async #tell(): Promise<void> {
    for (;;) {
      const records = await recordsAfter(this.#database, this.#told, READ_LIMIT);
      for (const record of records) {
        this.#told = record.sequence;
        for (const { query, onRecord, after } of this.#followers) {
          if (record.sequence > after && matches(query, record)) onRecord(record);
        }
      }
      if (records.length < READ_LIMIT) return;
    }
  }

  restore(records: readonly JournalRecord[]): Promise<void> {
    return this.#inTurn(() => restoreRecords(this.#database, records));
  }

  async #trim(): Promise<void> {
    this.#sinceTrim = 0;
    const { clock, ...given } = this.#options;
    const { recordsKept, outputLinesKept, auditRecordsKept, ageKeptMs } = { ...JOURNAL_BOUNDS, ...given };
    const oldestMs = clock.nowMs() - ageKeptMs;
    await trimRecords(this.#database, 'journal', { kept: recordsKept, oldestMs });
    await trimRecords(this.#database, 'journal_output', {
      kept: outputLinesKept,
      oldestMs,
    });
    await trimRecords(this.#database, 'journal_audit', {
      kept: auditRecordsKept,
      oldestMs,
    });
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#options.log.warn('journal lost records while the database did not take them', {
      records: this.#dropped,
    });
    this.#dropped = 0;
  }

  /** Reads that are requested in one turn see the same records. */
  async read(query: JournalQuery): Promise<readonly JournalRecord[]> {
    this.#horizon ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#horizon = undefined;
        this.#inTurn(() => this.#write()).then(resolve, reject);
      });
    });
    const until = await this.#horizon;
    return readRecords(this.#database, query, {
      until,
      count: Math.min(query.limit ?? READ_LIMIT, READ_LIMIT),
    });
  }

  follow(
    query: Omit<JournalQuery, 'after' | 'limit'>,
    onRecord: (record: JournalRecord) => void,
  ): () => void {
    const follower: Follower = { query, onRecord, after: Number.POSITIVE_INFINITY };
    const isFirst = this.#followers.size === 0;
    const before = this.#appended;
    void this.#inTurn(async () => {
      // Records appended before are written first, and are not delivered to it.
      const last = await this.#write(before);
      follower.after = last;
      if (isFirst) this.#told = Math.max(this.#told, last);
    });
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#cancelWrite?.();
    await this.#inTurn(() => this.#write()).catch(() => undefined);
    this.#isClosed = true;
    this.#cancelWrite?.();
    this.#followers.clear();
    await this.#notifications.stop();
    await this.#work;
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
