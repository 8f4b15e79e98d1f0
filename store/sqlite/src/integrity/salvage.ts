/** Copies the intact parts of a damaged database into a new one. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { guardedTables, parts, type GuardedTable, type Part } from './guarded-tables.ts';
import { intactRows, type Row } from './readable-rows.ts';
import { PAGE_BYTES, repairHeader } from './repair-header.ts';
import { rowChecksum } from './row-checksum.ts';
import { addTo, hasTallies, Tallies } from './tallies.ts';
import { repairWal } from './wal-frames.ts';

/** Creates the tables of a part in a new database. */
export type Preparations = Readonly<Record<Part, (database: DatabaseSync) => void>>;

/** Rows by their first columns, as text. */
type Found = Map<string, Row>;

export interface Salvaged {
  readonly rows: ReadonlyMap<GuardedTable, Found>;
  /** The highest version in any source, of any table. */
  readonly version: number;
}

/** The number of columns of a row's key. */
const keyColumns: Readonly<Record<GuardedTable, number>> = {
  objects: 3,
  changes: 1,
  journal: 1,
  journal_output: 1,
  journal_audit: 1,
  leases: 1,
};
/** The columns of `objects` and of `changes`. */
const REVISION = 3;
const [CHANGE_TYPE, CHANGE_KEY, CHANGE_OBJECT] = [1, 2, 5];

/**
 * Reads copies of the files: with the repaired log, with the unchanged log, and without a log. Of several
 * versions of an object the newest counts, which may be only in the history of changes.
 */
export function salvage(databasePath: string, workPath: string): Salvaged {
  const rows = new Map(
    parts.flatMap((part) => guardedTables[part].map((table) => [table, new Map() as Found])),
  );
  let version = 0;
  for (const log of ['repaired', 'as it is', 'none'] as const) {
    makeCopy(databasePath, workPath, log);
    try {
      using database = new DatabaseSync(workPath, { readOnly: true });
      for (const [table, found] of rows) takeRows(database, table, found);
      version = Math.max(version, versionOf(database));
    } catch {
      // Nothing more can be read from this copy.
    }
  }
  removeCopy(workPath);
  replayChanges(rows.get('objects') ?? new Map(), rows.get('changes') ?? new Map());
  const revisions = [...(rows.get('objects')?.values() ?? [])].map((row) => Number(row[REVISION]));
  return { rows, version: revisions.reduce((highest, one) => Math.max(highest, one), version) };
}

/** Writes a database of only these rows. The history of changes starts again, because it may have gaps. */
export function writeSalvaged(
  database: DatabaseSync,
  { rows, version }: Salvaged,
  preparations: Preparations,
): void {
  for (const part of parts) preparations[part](database);
  const tallies = new Tallies(database);
  database.exec('begin');
  for (const [table, found] of rows) {
    const tally = tallies.load(table);
    tally.version = version;
    for (const row of table === 'changes' ? [] : found.values()) {
      const places = row.map(() => '?').join(', ');
      database.prepare(`insert into ${table} values (${places})`).run(...row.map((value) => value ?? null));
      addTo(tally, Number(row.at(-1)));
    }
    tallies.save(table, tally);
  }
  database.exec('commit');
}

function takeRows(database: DatabaseSync, table: GuardedTable, found: Found): void {
  try {
    for (const row of intactRows(database, table)) {
      const key = row.slice(0, keyColumns[table]).join('\0');
      const known = found.get(key);
      const isNewer =
        known === undefined || (table === 'objects' && Number(row[REVISION]) > Number(known[REVISION]));
      if (isNewer) found.set(key, row);
    }
  } catch {
    // The table does not exist.
  }
}

function versionOf(database: DatabaseSync): number {
  if (!hasTallies(database)) return 0;
  const found = new Tallies(database);
  const all = parts.flatMap((part) => guardedTables[part].map((table) => found.find(table)));
  return Math.max(0, ...all.map((tally) => (typeof tally === 'object' ? tally.version : 0)));
}

/** Applies the changes to the objects. */
function replayChanges(objects: Found, changes: Found): void {
  for (const change of [...changes.values()].toSorted((a, b) => Number(a[0]) - Number(b[0]))) {
    const [revision, key] = [change[0], change.slice(CHANGE_KEY, CHANGE_OBJECT)];
    const path = key.join('\0');
    if (Number(objects.get(path)?.[REVISION] ?? 0) >= Number(revision)) continue;
    if (change[CHANGE_TYPE] === 'deleted') objects.delete(path);
    else objects.set(path, withChecksum([...key, revision, change[CHANGE_OBJECT]]));
  }
}

function withChecksum(columns: Row): Row {
  return [...columns, rowChecksum(columns)];
}

function makeCopy(databasePath: string, workPath: string, log: 'repaired' | 'as it is' | 'none'): void {
  removeCopy(workPath);
  const found = existsSync(databasePath) ? readFileSync(databasePath) : Buffer.alloc(0);
  // SQLite deletes the log beside an empty database.
  const bytes = found.length < PAGE_BYTES ? Buffer.concat([found], PAGE_BYTES) : found;
  repairHeader(bytes);
  writeFileSync(workPath, bytes, { mode: 0o600 });
  if (log === 'none' || !existsSync(`${databasePath}-wal`)) return;
  copyFileSync(`${databasePath}-wal`, `${workPath}-wal`);
  if (log === 'as it is') return;
  const frames = readFileSync(`${workPath}-wal`);
  repairWal(frames);
  writeFileSync(`${workPath}-wal`, frames);
}

function removeCopy(workPath: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${workPath}${suffix}`, { force: true });
}
