/**
 * Keeps for each table the number of its rows, and the sum of their checksums. A tally is written in the
 * transaction that changes the rows, so that a lost row, or one from an older time, shows as a difference.
 */
import { randomInt } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { guardedTables, type GuardedTable } from './guarded-tables.ts';
import { rowChecksum } from './row-checksum.ts';

export interface Tally {
  /**
   * Grows with every transaction that changes the table. For `objects` and `changes` it is the store's
   * revision.
   */
  version: number;
  rows: number;
  /** The sum of the rows' checksums, modulo 2^32. */
  digest: number;
}

/** An absent tally is undefined. One whose own checksum does not match is `damaged`. */
export type TallyFound = Tally | 'damaged' | undefined;

/** Not a table: its `version` is a random number of the file, so that another file is detected. */
const LINEAGE = 'lineage';
/**
 * Not a table: its `digest` covers the definitions of the others, which define the meaning of a row's bytes.
 */
const SCHEMA = 'schema';
const LINEAGE_MAX = 2 ** 47;

const CREATE = `create table if not exists tallies (
  name text primary key, version integer not null, rows integer not null, digest integer not null,
  checksum integer not null) without rowid;`;

/** `checksum`: that of one row, or the sum of those of `rows`. */
export function addTo(tally: Tally, checksum: number, rows = 1): void {
  tally.rows += rows;
  tally.digest = (tally.digest + checksum) >>> 0;
}

export function takeFrom(tally: Tally, checksum: number, rows = 1): void {
  addTo(tally, -checksum, -rows);
}

type TallyName = GuardedTable | typeof LINEAGE | typeof SCHEMA;

export class Tallies {
  readonly #load: StatementSync;
  readonly #save: StatementSync;

  /** Reads tallies of a database whose table of tallies exists. */
  constructor(database: DatabaseSync) {
    this.#load = database.prepare('select name, version, rows, digest, checksum from tallies where name = ?');
    this.#load.setReturnArrays(true);
    this.#save = database.prepare('insert or replace into tallies values (?, ?, ?, ?, ?)');
  }

  find(name: TallyName): TallyFound {
    const row: unknown = this.#load.get(name);
    if (!Array.isArray(row)) return undefined;
    if (row[4] !== rowChecksum(row, 4)) return 'damaged';
    return { version: Number(row[1]), rows: Number(row[2]), digest: Number(row[3]) };
  }

  /** Throws when the tally is absent or damaged. Writers have verified it before. */
  load(name: GuardedTable): Tally {
    const found = this.find(name);
    if (typeof found === 'object') return found;
    throw new Error(`the tally of table ${name} is ${found ?? 'absent'}`);
  }

  save(name: TallyName, { version, rows, digest }: Tally): void {
    this.#save.run(name, version, rows, digest, rowChecksum([name, version, rows, digest]));
  }

  /** Returns true if tables and indexes are defined as they were when the last table was created. */
  isSchemaIntact(database: DatabaseSync): boolean {
    const found = this.find(SCHEMA);
    return typeof found === 'object' && found.digest === schemaDigest(database);
  }

  saveSchema(database: DatabaseSync): void {
    this.save(SCHEMA, { version: 1, rows: 0, digest: schemaDigest(database) });
  }

  /** 0 for a file without tallies. */
  lineage(): number {
    const found = this.find(LINEAGE);
    return typeof found === 'object' ? found.version : 0;
  }
}

export function hasTallies(database: DatabaseSync): boolean {
  return database.prepare(`select 1 from sqlite_schema where name = 'tallies'`).get() !== undefined;
}

/**
 * Adds the column of checksums and the tally to a table, unless it has them. Call it in a transaction.
 * `version` is the tally's version for a table that had none.
 */
export function guardTable(database: DatabaseSync, name: GuardedTable, version = 1): void {
  database.exec(CREATE);
  const tallies = new Tallies(database);
  if (tallies.find(LINEAGE) === undefined)
    tallies.save(LINEAGE, { version: 1 + randomInt(LINEAGE_MAX), rows: 0, digest: 0 });
  if (tallies.find(name) !== undefined) return;
  const columns = columnsOf(database, name);
  database.exec(`alter table ${name} add column checksum integer not null default 0`);
  database.function('row_checksum', { varargs: true }, (...values) => rowChecksum(values));
  database.exec(`update ${name} set checksum = row_checksum(${columns.join(', ')})`);
  const sum = database
    .prepare(`select count(*) as rows, coalesce(sum(checksum), 0) & 4294967295 as digest from ${name}`)
    .get();
  tallies.save(name, { version, rows: Number(sum?.['rows']), digest: Number(sum?.['digest']) });
  tallies.saveSchema(database);
}

function schemaDigest(database: DatabaseSync): number {
  const tables = JSON.stringify(['tallies', ...Object.values(guardedTables).flat()]);
  const rows = database
    .prepare(
      `select type, name, tbl_name, sql from sqlite_schema
       where tbl_name in (select value from json_each(?)) and type in ('table', 'index') order by name`,
    )
    .all(tables);
  return rowChecksum([JSON.stringify(rows)]);
}

export function columnsOf(database: DatabaseSync, name: GuardedTable): readonly string[] {
  return database
    .prepare(`select name from pragma_table_info('${name}')`)
    .all()
    .map((row) => String(row['name']));
}
