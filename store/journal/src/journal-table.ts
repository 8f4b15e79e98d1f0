/** Records in one table, oldest first, bounded by count and age. */
import type { DatabaseSync, StatementResultingChanges, StatementSync } from 'node:sqlite';
import type { JournalQuery, JournalRecord } from '@tinkerbell/store-contract';

export interface TrimOptions {
  readonly kept: number;
  readonly oldestMs: number;
  readonly atMost: number;
}

export class JournalTable {
  readonly #database: DatabaseSync;
  readonly #name: string;
  readonly #insert: StatementSync;
  readonly #restore: StatementSync;
  readonly #last: StatementSync;
  readonly #oldest: StatementSync;
  readonly #deleteOldest: StatementSync;
  readonly #deleteOld: StatementSync;
  /** Known from the first time on that there may be too many: to count takes as long as to read them all. */
  #count: number | undefined;

  /** `name` is part of SQL text. */
  constructor(database: DatabaseSync, name: 'journal' | 'journal_output' | 'journal_audit') {
    this.#database = database;
    this.#name = name;
    database.exec(`
      create table if not exists ${name} (
        sequence integer primary key, at_ms integer not null, machine text, workflow text, record text not null);
      create index if not exists ${name}_machine on ${name} (machine, sequence) where machine is not null;
      create index if not exists ${name}_workflow on ${name} (workflow, sequence) where workflow is not null;`);
    this.#restore = database.prepare(`insert or ignore into ${name} values (?, ?, ?, ?, ?)`);
    this.#insert = database.prepare(`insert into ${name} values (?, ?, ?, ?, ?)`);
    this.#last = database.prepare(`select max(sequence) as last from ${name}`);
    this.#oldest = database.prepare(`select sequence, at_ms from ${name} order by sequence limit 1`);
    this.#deleteOldest = database.prepare(
      `delete from ${name} where sequence in (select sequence from ${name} order by sequence limit ?)`,
    );
    this.#deleteOld = database.prepare(
      `delete from ${name} where sequence in (
        select sequence from (select sequence, at_ms from ${name} order by sequence limit ?) where at_ms < ?)`,
    );
  }

  lastSequence(): number {
    return Number(this.#last.get()?.['last'] ?? 0);
  }

  insert(record: JournalRecord): void {
    const { sequence, atMs, machine = null, workflow = null } = record;
    this.#insert.run(sequence, atMs, machine, workflow, JSON.stringify(record));
    if (this.#count !== undefined) this.#count += 1;
  }

  /** Unless a record of that number is there. */
  restore(record: JournalRecord): void {
    const { sequence, atMs, machine = null, workflow = null } = record;
    this.#restore.run(sequence, atMs, machine, workflow, JSON.stringify(record));
    this.#count = undefined;
  }

  /** Lets go of what is older than `oldestMs`, and of the oldest when there are more than `kept`; of `atMost` each. */
  trim({ kept, oldestMs, atMost }: TrimOptions): void {
    const oldest = this.#oldest.get();
    if (oldest === undefined) return;
    // Times have no index, but records lie in the order of their sequence.
    if (Number(oldest['at_ms']) < oldestMs) this.#counted(this.#deleteOld.run(atMost, oldestMs));
    if (this.lastSequence() - Number(oldest['sequence']) < kept) return;
    this.#count ??= this.#countAll();
    const excess = Math.min(this.#count - kept, atMost);
    if (excess > 0) this.#counted(this.#deleteOldest.run(excess));
  }

  /** Call it when what was inserted or let go of did not come to stay. */
  rolledBack(): void {
    this.#count = undefined;
  }

  /** At most `limit` that match; `events` names none that has a table of its own. */
  read(query: JournalQuery, events: readonly string[] | undefined, limit: number): readonly JournalRecord[] {
    const name = this.#name;
    const all = query.machines === undefined && query.workflows === undefined;
    const where = all
      ? 'sequence > :after'
      : `sequence in (
          select sequence from ${name} where machine in (select value from json_each(:machines)) and sequence > :after
          union select sequence from ${name} where workflow in (select value from json_each(:workflows)) and sequence > :after)`;
    const ofEvents =
      events === undefined ? '' : `and record ->> 'event' in (select value from json_each(:events))`;
    const rows = this.#database
      .prepare(`select record from ${name} where ${where} ${ofEvents} order by sequence limit :limit`)
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
    return rows.map((row) => JSON.parse(String(row['record'])) as JournalRecord);
  }

  #counted({ changes }: StatementResultingChanges): void {
    if (this.#count !== undefined) this.#count -= Number(changes);
  }

  #countAll(): number {
    return Number(
      this.#database.prepare(`select count(*) as count from ${this.#name}`).get()?.['count'] ?? 0,
    );
  }
}
