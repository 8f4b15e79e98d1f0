import { encodeUtf8 } from '@tinkerbell/go-template';

const SPACE = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;
const UPPER = /^\p{Lu}$/u;
const LOWER = /^\p{Ll}$/u;
const TITLE = /^\p{Lt}$/u;

/** Go's unicode.IsSpace. */
export function isSpace(rune: string): boolean {
  return SPACE.test(rune);
}

/** Go's unicode.IsUpper. */
export function isUpper(rune: string): boolean {
  return UPPER.test(rune);
}

/**
 * Go changes the case of one rune into one rune. JavaScript may return two, for example for a German sharp s.
 */
export function oneRune(changed: string, rune: string): string {
  const [first, second] = changed;
  return first === undefined || second !== undefined ? rune : first;
}

/** Returns the lower case of one rune. */
export function lowerRune(rune: string): string {
  return oneRune(rune.toLowerCase(), rune);
}

/** Returns the upper case of one rune. */
export function upperRune(rune: string): string {
  return oneRune(rune.toUpperCase(), rune);
}

/** Swaps upper and lower case (goutils.SwapCase). */
export function swapCase(source: string): string {
  return Array.from(source, (rune) => {
    if (UPPER.test(rune) || TITLE.test(rune)) return lowerRune(rune);
    return LOWER.test(rune) ? upperRune(rune) : rune;
  }).join('');
}

/** Changes the first letter of every word to lower case (goutils.Uncapitalize). */
export function untitle(source: string): string {
  let atWord = true;
  return Array.from(source, (rune) => {
    if (isSpace(rune)) {
      atWord = true;
      return rune;
    }
    const changed = atWord ? lowerRune(rune) : rune;
    atWord = false;
    return changed;
  }).join('');
}

/**
 * Returns the first letter of every word. Like goutils, it treats bytes as letters, so the result is broken
 * beyond ASCII.
 */
export function initials(source: string): string {
  let afterGap = true;
  const letters: string[] = [];
  for (const letter of byteLetters(source)) {
    if (isSpace(letter)) afterGap = true;
    else {
      if (afterGap) letters.push(letter);
      afterGap = false;
    }
  }
  return letters.join('');
}

/** Removes spaces. Like goutils, it treats bytes as letters as soon as there is a space to remove. */
export function nospace(source: string): string {
  const letters = byteLetters(source);
  const kept = letters.filter((letter) => !isSpace(letter));
  return kept.length === letters.length ? source : kept.join('');
}

function byteLetters(source: string): string[] {
  return Array.from(encodeUtf8(source), (byte) => String.fromCharCode(byte));
}
