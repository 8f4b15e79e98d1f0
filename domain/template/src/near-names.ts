/** Longer names are not compared, because the cost grows with the product of the lengths. */
const LENGTH_MAX = 40;
const NAMES_MAX = 3;

/** Returns the names that were probably meant, the nearest first. Letter case counts least. */
export function nearNames(wrong: string, names: Iterable<string>): string[] {
  if (wrong.length > LENGTH_MAX) return [];
  const most = Math.max(1, Math.floor(wrong.length / 3));
  return [...names]
    .map((name) => ({ name, distance: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance: steps }) => steps <= most)
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(({ name }) => name);
}

/** Counts the letters to insert, remove, replace, or swap with the next. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const least = Math.min(
        at(above, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1),
        at(above, j) + 1,
        at(row, j - 1) + 1,
      );
      const isSwap = i > 1 && j > 1 && left.slice(i - 2, i) === `${right[j - 1]}${right[j - 2]}`;
      row.push(isSwap ? Math.min(least, at(before, j - 2) + 1) : least);
    }
    before = above;
    above = row;
  }
  return at(above, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
