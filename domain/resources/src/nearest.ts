/** Longer words are not typing errors. */
const WORD_MAX = 64;
/** How many pairs of characters one search compares. They take a few milliseconds. */
const PAIRS_MAX = 200_000;

/**
 * Returns the candidate closest to `word` by edit distance, if it is close enough for a typing error. Returns
 * undefined when there are too many candidates of that length to compare.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > WORD_MAX) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let pairs = 0;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    pairs += candidate.length * word.length;
    if (pairs > PAIRS_MAX) return undefined;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Counts the insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
 */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (isSwapped(from, to, { i, j })) best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}

/** Whether the last two of the first `i` and `j` characters are the same in the other order. */
function isSwapped(from: string, to: string, { i, j }: { readonly i: number; readonly j: number }): boolean {
  return i > 1 && j > 1 && from[i - 2] === to[j - 1] && from[i - 1] === to[j - 2];
}
