/** Matches texts with stars in time linear in text and pattern. */

/** The texts between the stars. There is one more than there are stars. */
export type Glob = readonly GlobPart[];

interface GlobPart {
  readonly text: string;
  /** For each length of a partial match, the length of its longest border (Knuth, Morris, Pratt). */
  readonly borders: readonly number[];
}

export type ParsedGlob =
  | { readonly ok: true; readonly glob: Glob }
  | { readonly ok: false; readonly message: string };

/**
 * With `escapes`, a backslash precedes a literal star or backslash. Two stars in a row are refused, as in
 * quamina.
 */
export function parseGlob(text: string, escapes: boolean): ParsedGlob {
  const parts = [''];
  for (let index = 0; index < text.length; index++) {
    let character = text[index] ?? '';
    if (character === '*') {
      if (text[index + 1] === '*') return { ok: false, message: 'expected no two "*" in a row' };
      parts.push('');
      continue;
    }
    if (character === '\\' && escapes) {
      index++;
      character = text[index] ?? '';
      if (character !== '*' && character !== '\\')
        return { ok: false, message: 'expected "*" or "\\" after "\\"' };
    }
    parts[parts.length - 1] += character;
  }
  return { ok: true, glob: parts.map((part) => ({ text: part, borders: bordersOf(part) })) };
}

function bordersOf(text: string): number[] {
  const borders = [0];
  for (let index = 1, length = 0; index < text.length; index++) {
    while (length > 0 && text[index] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[index] === text[length]) length++;
    borders.push(length);
  }
  return borders;
}

export function globMatches(glob: Glob, text: string): boolean {
  const first = glob[0]?.text ?? '';
  const last = glob.at(-1)?.text ?? '';
  if (glob.length === 1) return text === first;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const inner = text.slice(0, end);
  for (const part of glob.slice(1, -1)) {
    at = endOfFirst(part, inner, at);
    if (at < 0) return false;
  }
  return true;
}

/** Returns the end of the first occurrence from `from` on, or -1 when there is none. */
function endOfFirst({ text: part, borders }: GlobPart, text: string, from: number): number {
  if (part === '') return from;
  for (let index = from, length = 0; index < text.length; index++) {
    while (length > 0 && text[index] !== part[length]) length = borders[length - 1] ?? 0;
    if (text[index] === part[length]) length++;
    if (length === part.length) return index + 1;
  }
  return -1;
}
