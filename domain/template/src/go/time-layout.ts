/** The pieces of a layout. They are written as in Mon Jan 2 15:04:05 MST 2006 (Go's package time). */
export interface LayoutPiece {
  /** Literal text before the element. */
  readonly prefix: string;
  /** For example `2006` or `.000`. Empty at the end. */
  readonly element: string;
}

const ELEMENT =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_2(?!006)|__2|3|4|5|PM|pm|-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07|[.,](?:0+|9+)(?![0-9])/g;

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/** Splits a layout. The last piece has no element. */
export function layoutPieces(layout: string): LayoutPiece[] {
  const pieces: LayoutPiece[] = [];
  let end = 0;
  for (const match of layout.matchAll(ELEMENT)) {
    pieces.push({ prefix: layout.slice(end, match.index), element: match[0] });
    end = match.index + match[0].length;
  }
  return [...pieces, { prefix: layout.slice(end), element: '' }];
}
