/** Reads the rows of a damaged table: those before, between and after the unreadable pages. */
import type { DatabaseSync } from 'node:sqlite';
import type { GuardedTable } from './guarded-tables.ts';
import { isIntactRow, type ColumnValue } from './row-checksum.ts';

export type Row = readonly ColumnValue[];

/**
 * The limit of unreadable places in one table. Each costs a search, and a table with more of them has lost
 * its pages.
 */
const GAPS_MAX = 10_000;
const ROWID_MAX = Number.MAX_SAFE_INTEGER;

/** Returns the rows with matching checksums, in no order. Some may be returned twice. */
export function* intactRows(database: DatabaseSync, table: GuardedTable): Generator<Row, void> {
  const rows = table === 'leases' ? rowsFromBothEnds(database, table) : rowsByNumber(database, table);
  for (const row of rows) if (isIntactRow(row)) yield row;
}

/** Reads a table without row numbers. */
function* rowsFromBothEnds(database: DatabaseSync, table: 'leases'): Generator<Row, void> {
  for (const order of ['asc', 'desc'])
    yield* untilUnreadable(database, `select * from ${table} order by address ${order}`, []);
}

/** Resumes after each unreadable page. */
function* rowsByNumber(database: DatabaseSync, table: GuardedTable): Generator<Row, void> {
  let after: number | undefined = 0;
  for (let gaps = 0; after !== undefined && gaps < GAPS_MAX; gaps += 1) {
    const sql = `select *, rowid from ${table} where rowid > ? order by rowid`;
    const rows: ReturnType<typeof untilUnreadable> = untilUnreadable(database, sql, [after]);
    let last: number = after;
    let next = rows.next();
    for (; next.done !== true; next = rows.next()) {
      // Damaged pages may have descending numbers.
      last = Math.max(last, Number(next.value.at(-1)));
      yield next.value.slice(0, -1);
    }
    after = next.value ? undefined : nextReadable(database, table, last);
  }
}

/** Returns true when it read to the end. */
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

/**
 * Returns the highest number after `last` from which a row can be read, when the next row cannot. Returns
 * undefined when there is none.
 */
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
