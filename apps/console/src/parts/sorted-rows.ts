/** Sorts the rows of a table. Pure. */

export interface SortOrder<Row> {
  readonly value: (row: Row) => string | number;
  readonly isReverse: boolean;
  readonly keyOf: (row: Row) => string;
  /** The keys in the order of the last time. Rows that did not change are then found in their place, which is quick. */
  readonly before: readonly string[];
}

/** Numbers inside of texts count as numbers: `node-2` comes before `node-10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

export function sortedRows<Row>(
  rows: readonly Row[],
  { value, isReverse, keyOf, before }: SortOrder<Row>,
): readonly Row[] {
  const sign = isReverse ? -1 : 1;
  const compared = inOrder(rows, keyOf, before).map((row) => ({ row, by: value(row) }));
  compared.sort(({ by: one }, { by: other }) => sign * compareValues(one, other));
  return compared.map(({ row }) => row);
}

function compareValues(one: string | number, other: string | number): number {
  if (one === other) return 0;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compare(String(one), String(other));
}

function inOrder<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  before: readonly string[],
): readonly Row[] {
  if (before.length === 0) return rows;
  const left = new Map(rows.map((row) => [keyOf(row), row]));
  const known = before.flatMap((key) => {
    const row = left.get(key);
    left.delete(key);
    return row === undefined ? [] : [row];
  });
  return [...known, ...left.values()];
}
