/** Which columns of a table have room. Pure. */

export interface SizedColumn {
  readonly id: string;
  /** The least width in pixels at which it can be read. */
  readonly width: number;
  /** Its share of a table that is wider than needed (default: its width). */
  readonly share?: number;
  /** The order in which columns leave a table that is too narrow: 1 first. Absent: it stays. */
  readonly leaves?: number;
}

/** Returns the columns that fit into `width`, in their order. Those that never leave are always among them. */
export function fittingColumns<Column extends SizedColumn>(
  columns: readonly Column[],
  width: number,
): readonly Column[] {
  const leaving = columns
    .filter(({ leaves }) => leaves !== undefined)
    .toSorted((one, other) => (one.leaves ?? 0) - (other.leaves ?? 0));
  let shown = columns;
  for (const next of leaving) {
    if (widthOf(shown) <= width) break;
    shown = shown.filter((one) => one !== next);
  }
  return shown;
}

export function widthOf(columns: readonly SizedColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0);
}
