/** Which rows of a long table are drawn. Pure. */

export interface RowWindow {
  /** The index of the first row that is drawn. */
  readonly first: number;
  /** The index after the last one. */
  readonly end: number;
}

export interface RowView {
  /** How far the table is scrolled, in pixels. */
  readonly top: number;
  /** The height of what is seen of it, in pixels. */
  readonly height: number;
}

/** All rows have this height, in pixels, as `.row-table` says in `style/data.css`. */
export const ROW_HEIGHT = 40;
/** The window moves by this number of rows, so that most events of a wheel draw nothing. */
const STEP = 4;
/** Rows above and below the view. Browsers scroll before the page has drawn what comes into view. */
const MARGIN = 4;

/** Returns the rows in view and some more. There may be fewer rows: see `within`. */
export function rowWindow({ top, height }: RowView): RowWindow {
  const firstSeen = Math.floor(Math.max(0, top) / ROW_HEIGHT);
  const endSeen = Math.ceil((Math.max(0, top) + height) / ROW_HEIGHT);
  return {
    first: Math.max(0, Math.floor(firstSeen / STEP) * STEP - MARGIN),
    end: Math.ceil(endSeen / STEP) * STEP + MARGIN,
  };
}

/** Returns the part of the window that a table with `count` rows has. */
export function within({ first, end }: RowWindow, count: number): RowWindow {
  const last = Math.min(end, count);
  return { first: Math.min(first, last), end: last };
}
