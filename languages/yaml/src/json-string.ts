/** The strings of JSON text. */

/** The longest escape is `\u0000`. */
const ESCAPE_CHARACTERS = 6;

/**
 * Returns the position of the first quote from `from` on that is not escaped, or -1. An escape may not begin before `from`. A quote
 * from `to` on ends the search, escaped or not.
 */
export function closingQuote(text: string, from: number, to: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && at < to && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

/** Returns the length of `text`, or the start of the escape at its end that may be incomplete. */
export function completeLength(text: string): number {
  for (let at = text.length - 1; at >= Math.max(0, text.length - ESCAPE_CHARACTERS); at -= 1)
    if (text[at] === '\\') return isEscaped(text, at) ? at - 1 : at;
  return text.length;
}

/** Returns true if an odd number of backslashes precedes `at`. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
