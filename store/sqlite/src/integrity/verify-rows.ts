/** Verifies rows against their checksums, and all of them against their tally. */
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@tinkerbell/platform-contract';
import { DAMAGES_MAX, type Damage } from './damage.ts';
import type { GuardedTable } from './guarded-tables.ts';
import { isIntactRow, type ColumnValue } from './row-checksum.ts';
import type { Tally } from './tallies.ts';

interface RowsRequest {
  readonly table: GuardedTable;
  readonly tally: Readonly<Tally>;
  /**
   * All rows. Otherwise those that a start has time for: all objects and leases, and the newest records of
   * histories.
   */
  readonly isFull: boolean;
}

/** Many times the number of records that one sync covers. */
const NEWEST = 512;
/** Histories, which are as long as an operator configures. */
const orderOf: Readonly<Partial<Record<GuardedTable, string>>> = {
  changes: 'revision',
  journal: 'sequence',
  journal_output: 'sequence',
  journal_audit: 'sequence',
};

export function verifyRows(database: DatabaseSync, { table, tally, isFull }: RowsRequest): readonly Damage[] {
  const order = orderOf[table];
  if (!isFull && order !== undefined)
    return wrongRows(database, table, `order by ${order} desc limit ${NEWEST}`).damages;
  const damages = isFull || table !== 'objects' ? [] : indexDamages(database, table);
  const found = wrongRows(database, table, '');
  damages.push(...found.damages);
  if (damages.length > 0) return damages;
  const { rows, digest } = found;
  if (rows !== tally.rows)
    return [{ place: `table ${table}`, problem: `it has ${rows} records, and ${tally.rows} were written` }];
  if (digest !== tally.digest)
    return [{ place: `table ${table}`, problem: 'some of its records are not those that were written last' }];
  return [];
}

/** Verifies that every row is found by its key. */
function indexDamages(database: DatabaseSync, table: GuardedTable): Damage[] {
  return database
    .prepare(`pragma integrity_check('${table}')`)
    .all()
    .map((row) => String(row['integrity_check']))
    .filter((verdict) => verdict !== 'ok')
    .map((problem) => ({ place: `table ${table}`, problem }));
}

function wrongRows(
  database: DatabaseSync,
  table: GuardedTable,
  rest: string,
): { readonly damages: Damage[]; readonly rows: number; readonly digest: number } {
  const damages: Damage[] = [];
  let [rows, digest] = [0, 0];
  let last: readonly ColumnValue[] | undefined;
  const statement = database.prepare(`select * from ${table} ${rest}`);
  statement.setReturnArrays(true);
  try {
    for (const row of statement.iterate()) {
      if (!Array.isArray(row)) continue;
      if (!isIntactRow(row) && damages.length < DAMAGES_MAX)
        damages.push({
          place: `table ${table}, ${nameOf(table, row)}`,
          problem: 'the checksum does not match',
        });
      rows += 1;
      digest = (digest + Number(row.at(-1))) >>> 0;
      last = row;
    }
  } catch (thrown) {
    const problem = messageOf(thrown);
    const after = last === undefined ? 'its first record' : nameOf(table, last);
    damages.push({ place: `table ${table}, after ${after}`, problem });
  }
  return { damages, rows, digest };
}

/** Returns the columns of the row's key, by which an operator finds it. */
export function nameOf(table: GuardedTable, row: readonly ColumnValue[]): string {
  if (table === 'objects') return `${row.slice(0, 3).join('/')}, revision ${String(row[3])}`;
  if (table === 'changes') return `revision ${String(row[0])}, ${row.slice(2, 5).join('/')}`;
  return table === 'leases' ? `address ${String(row[0])}` : `sequence ${String(row[0])}`;
}
