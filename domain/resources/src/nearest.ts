/** Longer words are not typing errors, and comparing takes time in proportion to word times candidates. */
const WORD_MAX = 64;
const CANDIDATES_MAX = 500;

/** Returns the candidate closest to `word` by edit distance, if it is close enough for a typing error. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > WORD_MAX || candidates.length > CANDIDATES_MAX) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
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
      const swapped = j > 1 && from.slice(i - 2, i) === `${to[j - 1]}${to[j - 2]}`;
      if (swapped) best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
