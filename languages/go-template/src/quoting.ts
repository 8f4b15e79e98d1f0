import { byteText, isEscapedByte } from './go-string.ts';

/**
 * Go's string and rune literals, as package strconv writes and reads them.
 */

const ESCAPES = new Map<number, string>([
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
]);
const UNESCAPES = new Map<string, number>([
  ['a', 7],
  ['b', 8],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['\\', 92],
]);
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Returns true if Go prints the code point unchanged (strconv.IsPrint). */
export function isPrintable(codePoint: number): boolean {
  if (codePoint < 0x7f) return codePoint >= 0x20;
  return codePoint <= 0x10ffff && PRINTABLE.test(String.fromCodePoint(codePoint));
}

/** Returns a double-quoted Go literal. `ascii` escapes everything above U+007F. */
export function quote(text: string, ascii = false): string {
  return quoteWith(text, '"', ascii);
}

/** Returns a single-quoted Go rune literal. An invalid rune is quoted as U+FFFD. */
export function quoteRune(codePoint: number, ascii = false): string {
  const valid = codePoint >= 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
  return quoteWith(String.fromCodePoint(valid ? codePoint : 0xfffd), "'", ascii);
}

/** Returns true if the text can be written between backquotes (strconv.CanBackquote). */
export function canBackquote(text: string): boolean {
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    const control = codePoint < 0x20 && codePoint !== 9;
    if (control || codePoint === 0x60 || codePoint === 0x7f) return false;
    if (codePoint === 0xfeff || isEscapedByte(codePoint)) return false;
  }
  return true;
}

/** Returns `U+0041 'A'`, Go's %#U. */
export function describeRune(codePoint: number): string {
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  return isPrintable(codePoint) ? `${code} '${String.fromCodePoint(codePoint)}'` : code;
}

/** Returns the text of a Go string literal in double quotes or backquotes, or undefined if it is malformed. */
export function unquote(literal: string): string | undefined {
  const delimiter = literal[0];
  if (literal.length < 2 || literal.at(-1) !== delimiter) return undefined;
  const body = literal.slice(1, -1);
  if (delimiter === '`') return body.includes('`') ? undefined : body.replaceAll('\r', '');
  if (delimiter !== '"') return undefined;
  const parts: string[] = [];
  for (let at = 0; at < body.length;) {
    const next = unquoteCharacter(body, at, '"');
    if (next === undefined) return undefined;
    parts.push(next.isByte ? byteText(next.value) : String.fromCodePoint(next.value));
    at = next.end;
  }
  return parts.join('');
}

/** Returns the rune of a Go character constant such as `'a'`, or why it is invalid. */
export function unquoteRune(literal: string): { ok: true; value: number } | { ok: false; reason: string } {
  const next = unquoteCharacter(literal, 1, "'");
  if (next === undefined) return { ok: false, reason: 'invalid syntax' };
  if (literal.slice(next.end) !== "'") {
    return { ok: false, reason: `malformed character constant: ${literal}` };
  }
  return { ok: true, value: next.value };
}

type UnquotedCharacter = { value: number; isByte: boolean; end: number };

function unquoteCharacter(text: string, at: number, delimiter: string): UnquotedCharacter | undefined {
  const codePoint = text.codePointAt(at);
  if (codePoint === undefined) return undefined;
  const character = String.fromCodePoint(codePoint);
  if (character === delimiter || character === '\n') return undefined;
  if (character !== '\\') return { value: codePoint, isByte: false, end: at + character.length };
  const letter = text[at + 1] ?? '';
  const simple = UNESCAPES.get(letter);
  if (simple !== undefined) return { value: simple, isByte: false, end: at + 2 };
  if (letter === "'" || letter === '"') {
    return letter === delimiter ? { value: letter.charCodeAt(0), isByte: false, end: at + 2 } : undefined;
  }
  return numericEscape(text, at + 1);
}

/** The digits of `\u` and `\U`. */
const UNICODE_DIGITS: Readonly<Record<string, number>> = { u: 4, U: 8 };

function numericEscape(text: string, at: number): UnquotedCharacter | undefined {
  const letter = text[at] ?? '';
  if (/[0-7]/.test(letter)) return digitsEscape(text, { start: at, length: 3, base: 8 });
  if (letter === 'x') return digitsEscape(text, { start: at + 1, length: 2, base: 16 });
  const length = UNICODE_DIGITS[letter];
  if (length === undefined) return undefined;
  const rune = digitsEscape(text, { start: at + 1, length, base: 16 });
  if (rune === undefined || rune.value > 0x10ffff || (rune.value >= 0xd800 && rune.value <= 0xdfff)) {
    return undefined;
  }
  return { ...rune, isByte: false };
}

function digitsEscape(
  text: string,
  { start, length, base }: { start: number; length: number; base: 8 | 16 },
): UnquotedCharacter | undefined {
  const digits = text.slice(start, start + length);
  const wanted = base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (digits.length !== length || !wanted.test(digits)) return undefined;
  const value = Number.parseInt(digits, base);
  return base === 8 && value > 255 ? undefined : { value, isByte: true, end: start + length };
}

/** Needs no escapes, whatever the delimiter is. */
const PLAIN = /^[ !#-&(-[\]-~]*$/;

function quoteWith(text: string, delimiter: string, ascii: boolean): string {
  if (PLAIN.test(text)) return delimiter + text + delimiter;
  const parts: string[] = [delimiter];
  for (const character of text) {
    parts.push(quoteCharacter(character, delimiter, ascii));
  }
  parts.push(delimiter);
  return parts.join('');
}

function quoteCharacter(character: string, delimiter: string, ascii: boolean): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (isEscapedByte(codePoint)) return `\\x${(codePoint - 0xdc00).toString(16)}`;
  if (character === delimiter || character === '\\') return `\\${character}`;
  if (isPrintable(codePoint) && (!ascii || codePoint < 0x80)) return character;
  const named = ESCAPES.get(codePoint);
  if (named !== undefined) return named;
  const hex = codePoint.toString(16);
  if (codePoint < 0x20 || codePoint === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
