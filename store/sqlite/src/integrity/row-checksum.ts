import type { SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** A value of a column as node:sqlite returns it; undefined of a column that is not there. */
export type ColumnValue = SQLOutputValue | undefined;

/**
 * CRC-32 (ISO 3309) over the columns of a row, each with its type, the last one first. It finds accidents of disks and files,
 * which have no intent: a flipped bit, a lost page. `count`: of the columns that it is over, all when absent.
 */
export function rowChecksum(values: readonly ColumnValue[], count = values.length): number {
  return headChecksum(values, count - 1, textChecksum(values[count - 1]));
}

/** Of the last column, which is the long one: rows that share it compute it once, and `headChecksum` goes on from it. */
export function textChecksum(value: ColumnValue): number {
  // A text is not copied to be tagged.
  return typeof value === 'string' ? crc32(value) : crc32(tagged(value), 1);
}

export function headChecksum(values: readonly ColumnValue[], count: number, seed: number): number {
  let head = '';
  for (let index = 0; index < count; index += 1) head += `${tagged(values[index])}\0`;
  return crc32(head, seed);
}

/** Whether the last column is the checksum of those before it. */
export function isIntactRow(row: readonly ColumnValue[]): boolean {
  return row.at(-1) === rowChecksum(row, row.length - 1);
}

function tagged(value: ColumnValue): string {
  if (value === null || value === undefined) return 'n';
  return typeof value === 'string' ? `t${value}` : `v${String(value)}`;
}
