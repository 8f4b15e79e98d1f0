import type { SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** A value of a column as node:sqlite returns it. Undefined for a missing column. */
export type ColumnValue = SQLOutputValue | undefined;

/**
 * Returns the CRC-32 (ISO 3309) of the columns of a row, each with its type, the last one first. It detects
 * accidents of disks and files, such as a flipped bit or a lost page, but not manipulation. `count`: the
 * number of columns that it covers. All when absent.
 */
export function rowChecksum(values: readonly ColumnValue[], count = values.length): number {
  return headChecksum(values, count - 1, textChecksum(values[count - 1]));
}

/**
 * Returns the checksum of the last column, which is the long one. Rows that share it compute it once, and
 * `headChecksum` continues from it.
 */
export function textChecksum(value: ColumnValue): number {
  // Tags the text without copying it.
  return typeof value === 'string' ? crc32(value) : crc32(tagged(value), 1);
}

export function headChecksum(values: readonly ColumnValue[], count: number, seed: number): number {
  let head = '';
  for (let index = 0; index < count; index += 1) head += `${tagged(values[index])}\0`;
  return crc32(head, seed);
}

/** Returns true if the last column is the checksum of those before it. */
export function isIntactRow(row: readonly ColumnValue[]): boolean {
  return row.at(-1) === rowChecksum(row, row.length - 1);
}

function tagged(value: ColumnValue): string {
  if (value === null || value === undefined) return 'n';
  return typeof value === 'string' ? `t${value}` : `v${String(value)}`;
}
