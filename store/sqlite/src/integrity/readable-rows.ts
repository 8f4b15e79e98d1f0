/** Rows of a damaged table: those before, between and behind the pages that cannot be read. */
import type { DatabaseSync } from 'node:sqlite';
import type { GuardedTable } from './guarded-tables.ts';
import { isIntactRow, type ColumnValue } from './row-checksum.ts';

export type Row = readonly ColumnValue[];

/** Places in one table that cannot be read. Each costs a search; a table with more of them has lost its pages. */
const GAPS_MAX = 10_000;
const ROWID_MAX = Number.MAX_SAFE_INTEGER;

/** The rows whose checksums match, in no order; some may come twice. */
export function* intactRows(database: DatabaseSync, table: GuardedTable): Generator<Row, void> {
  const rows = table === 'leases' ? rowsFromBothEnds(database, table) : rowsByNumber(database, table);
  for (const row of rows) if (isIntactRow(row)) yield row;
}

/** Of a table without numbers. */
function* rowsFromBothEnds(database: DatabaseSync, table: 'leases'): Generator<Row, void> {
  for (const order of ['asc', 'desc'])
    yield* untilUnreadable(database, `select * from ${table} order by address ${order}`, []);
}

/** It resumes behind each page that cannot be read. */
function* rowsByNumber(database: DatabaseSync, table: GuardedTable): Generator<Row, void> {
  let after: number | undefined = 0;
  for (let gaps = 0; after !== undefined && gaps < GAPS_MAX; gaps += 1) {
    const sql = `select *, rowid from ${table} where rowid > ? order by rowid`;
    const rows: ReturnType<typeof untilUnreadable> = untilUnreadable(database, sql, [after]);
    let last: number = after;
    let next = rows.next();
    for (; next.done !== true; next = rows.next()) {
      // Damaged pages have numbers that go back.
      last = Math.max(last, Number(next.value.at(-1)));
      yield next.value.slice(0, -1);
    }
    after = next.value ? undefined : nextReadable(database, table, last);
  }
}

/** True when it read to the end. */
function* untilUnreadable(
  database: DatabaseSync,
  sql: string,
  values: readonly number[],
): Generator<Row, boolean> {
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    for (const row of statement.iterate(...values)) if (Array.isArray(row)) yield row;
    return true;
  } catch {
    return false;
  }
}

/** The highest number after `last` behind which a row can be read, when the one behind `last` cannot; undefined: there is none. */
function nextReadable(database: DatabaseSync, table: GuardedTable, last: number): number | undefined {
  const statement = database.prepare(`select * from ${table} where rowid > ? order by rowid limit 1`);
  const canRead = (after: number): boolean => {
    try {
      statement.get(after);
      return true;
    } catch {
      return false;
    }
  };
  let step = 1;
  while (last + step < ROWID_MAX && !canRead(last + step)) step *= 2;
  if (last + step >= ROWID_MAX) return undefined;
  let [unreadable, readable] = [last + Math.floor(step / 2), last + step];
  while (readable - unreadable > 1) {
    const middle = Math.floor((unreadable + readable) / 2);
    if (canRead(middle)) readable = middle;
    else unreadable = middle;
  }
  return readable;
}
