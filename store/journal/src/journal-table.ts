/** Records in one table, oldest first, with limits on count and age. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { PlatformError } from '@tinkerbell/platform-contract';
import { recordFrom, type JournalQuery, type JournalRecord } from '@tinkerbell/store-contract';
import {
  addTo,
  guardTable,
  rowChecksum,
  takeFrom,
  Tallies,
  type Tally,
} from '@tinkerbell/store-sqlite/integrity';

export type JournalTableName = 'journal' | 'journal_output' | 'journal_audit';

/** Creates the table, or adds its checksums. Call it in a transaction. */
export function prepareJournalTable(database: DatabaseSync, name: JournalTableName): void {
  database.exec(`
    create table if not exists ${name} (
      sequence integer primary key, at_ms integer not null, machine text, workflow text, record text not null);
    create index if not exists ${name}_machine on ${name} (machine, sequence) where machine is not null;
    create index if not exists ${name}_workflow on ${name} (workflow, sequence) where workflow is not null;`);
  guardTable(database, name);
}

export interface TrimOptions {
  readonly kept: number;
  readonly oldestMs: number;
  readonly atMost: number;
}

export class JournalTable {
  readonly #database: DatabaseSync;
  readonly #name: JournalTableName;
  readonly #tallies: Tallies;
  readonly #insert: StatementSync;
  readonly #restore: StatementSync;
  readonly #last: StatementSync;
  readonly #oldest: StatementSync;
  readonly #deleteOldest: StatementSync;
  readonly #deleteOld: StatementSync;
  /** The changes of the current transaction to the table. */
  #tally: Tally | undefined;

  /** The table must be prepared. `name` is part of SQL text. */
  constructor(database: DatabaseSync, name: JournalTableName) {
    this.#database = database;
    this.#name = name;
    this.#tallies = new Tallies(database);
    this.#restore = database.prepare(`insert or ignore into ${name} values (?, ?, ?, ?, ?, ?)`);
    this.#insert = database.prepare(`insert into ${name} values (?, ?, ?, ?, ?, ?)`);
    this.#last = database.prepare(`select max(sequence) as last from ${name}`);
    this.#oldest = database.prepare(`select sequence, at_ms from ${name} order by sequence limit 1`);
    this.#deleteOldest = database.prepare(
      `delete from ${name} where sequence in (select sequence from ${name} order by sequence limit ?)
       returning checksum`,
    );
    this.#deleteOld = database.prepare(
      `delete from ${name} where sequence in (
        select sequence from (select sequence, at_ms from ${name} order by sequence limit ?) where at_ms < ?)
       returning checksum`,
    );
  }

  get name(): JournalTableName {
    return this.#name;
  }

  /** As it is in the database. */
  tally(): Readonly<Tally> {
    return this.#tallies.load(this.#name);
  }

  lastSequence(): number {
    return Number(this.#last.get()?.['last'] ?? 0);
  }

  insert(record: JournalRecord): void {
    const row = rowOf(record);
    this.#insert.run(...row);
    addTo(this.#changed(), row[5]);
  }

  /** Inserts the record unless a record of that number exists. */
  restore(record: JournalRecord): void {
    const row = rowOf(record);
    if (this.#restore.run(...row).changes === 1) addTo(this.#changed(), row[5]);
  }

  /** Drops records older than `oldestMs`, and the oldest when there are more than `kept`, at most `atMost` of each. */
  trim({ kept, oldestMs, atMost }: TrimOptions): void {
    const oldest = this.#oldest.get();
    if (oldest === undefined) return;
    // Times have no index, but records are in the order of their sequence.
    if (Number(oldest['at_ms']) < oldestMs) this.#dropped(this.#deleteOld.all(atMost, oldestMs));
    if (this.lastSequence() - Number(oldest['sequence']) < kept) return;
    const excess = Math.min((this.#tally ?? this.tally()).rows - kept, atMost);
    if (excess > 0) this.#dropped(this.#deleteOldest.all(excess));
  }

  /** Writes the transaction's changes to the table's tally. It must be the transaction's last statement. */
  save(): void {
    if (this.#tally === undefined) return;
    this.#tally.version += 1;
    this.#tallies.save(this.#name, this.#tally);
    this.#tally = undefined;
  }

  /** Call it when the transaction was rolled back. */
  rolledBack(): void {
    this.#tally = undefined;
  }

  /** Returns at most `limit` matching records. `events` must not name an event that has its own table. */
  read(query: JournalQuery, events: readonly string[] | undefined, limit: number): readonly JournalRecord[] {
    const name = this.#name;
    const all = query.machines === undefined && query.workflows === undefined;
    // Without a filter of events, the first matches of each index suffice, so that a page of a long timeline
    // does not read all of it.
    const enough = events === undefined ? 'order by sequence limit :limit' : '';
    const of = (column: string, values: string): string =>
      `select sequence from (select sequence from ${name}
        where ${column} in (select value from json_each(${values})) and sequence > :after ${enough})`;
    const where = all
      ? 'sequence > :after'
      : `sequence in (${of('machine', ':machines')} union ${of('workflow', ':workflows')})`;
    const ofEvents =
      events === undefined ? '' : `and record ->> 'event' in (select value from json_each(:events))`;
    const rows = this.#database
      .prepare(`select * from ${name} where ${where} ${ofEvents} order by sequence limit :limit`)
      .all({
        after: query.after,
        limit,
        ...(all
          ? {}
          : {
              machines: JSON.stringify(query.machines ?? []),
              workflows: JSON.stringify(query.workflows ?? []),
            }),
        ...(events === undefined ? {} : { events: JSON.stringify(events) }),
      });
    return rows.map((row) => intactRecordFrom(name, row));
  }

  #changed(): Tally {
    // Another connection may have written since.
    this.#tally ??= this.#tallies.load(this.#name);
    return this.#tally;
  }

  #dropped(rows: readonly Record<string, unknown>[]): void {
    for (const row of rows) takeFrom(this.#changed(), Number(row['checksum']));
  }
}

type Row = readonly [number, number, string | null, string | null, string, number];

function rowOf(record: JournalRecord): Row {
  const { sequence, atMs, machine = null, workflow = null } = record;
  const columns = [sequence, atMs, machine, workflow, JSON.stringify(record)] as const;
  return [...columns, rowChecksum(columns)];
}

/** A row that the disk has changed since the start is not returned as a record. */
function intactRecordFrom(
  table: JournalTableName,
  row: Readonly<Record<string, SQLOutputValue>>,
): JournalRecord {
  const { sequence, at_ms: atMs, machine, workflow, record, checksum } = row;
  if (checksum === rowChecksum([sequence, atMs, machine, workflow, record]))
    return recordFrom(String(record));
  throw new PlatformError(
    'damaged',
    `record ${String(sequence)} of ${table} does not match its checksum; run tinkerbell check, and restore a backup`,
  );
}
