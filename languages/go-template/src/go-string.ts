/**
 * Go strings are bytes, and JavaScript strings are UTF-16. Template strings stay JavaScript strings. A byte
 * that is not part of valid UTF-8 (`"\xff"`, or a rune cut in half by `slice`) is kept as the lone surrogate
 * U+DC00 + byte, as in Python's surrogateescape. Text is made well-formed where it enters and where it
 * leaves, so such a surrogate can only come from here.
 */

const ESCAPE_BASE = 0xdc00;

/** Returns the bytes that Go would hold for this string. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    pushRune(bytes, character.codePointAt(0) ?? 0);
  }
  return Uint8Array.from(bytes);
}

/** Returns the string for Go bytes. Bytes that are not UTF-8 become escapes. */
export function decodeUtf8(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const rune = decodeRune(bytes, at);
    parts.push(rune.text);
    at += rune.width;
  }
  return parts.join('');
}

/** Returns the length in bytes, Go's `len`. */
export function byteLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) length += 1;
    else if (unit < 0x800) length += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      length += 4;
      i++;
    } else length += isEscapedByte(unit) ? 1 : 3;
  }
  return length;
}

/** Returns the number of runes, where each invalid byte counts as one. */
export function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns true if a code point represents a byte that is not valid UTF-8. */
export function isEscapedByte(codePoint: number): boolean {
  return codePoint >= 0xdc80 && codePoint <= 0xdcff;
}

/** Joins escaped bytes that together form valid UTF-8 again. */
export function normalizeBytes(text: string): string {
  return text.isWellFormed() ? text : decodeUtf8(encodeUtf8(text));
}

/** Returns text for output: remaining invalid bytes become U+FFFD. */
export function toWellFormedText(text: string): string {
  return normalizeBytes(text).toWellFormed();
}

/** Compares strings by their bytes, as Go's `<` does (UTF-16 order differs above U+FFFF). */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    if (left.charCodeAt(i) !== right.charCodeAt(i)) {
      return compareTails(left.slice(Math.max(0, i - 1)), right.slice(Math.max(0, i - 1)));
    }
  }
  return left.length - right.length;
}

function compareTails(left: string, right: string): number {
  const a = encodeUtf8(left.slice(0, 4));
  const b = encodeUtf8(right.slice(0, 4));
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function pushRune(bytes: number[], codePoint: number): void {
  if (isEscapedByte(codePoint)) {
    bytes.push(codePoint - ESCAPE_BASE);
    return;
  }
  const rune = codePoint >= 0xd800 && codePoint <= 0xdfff ? 0xfffd : codePoint;
  if (rune < 0x80) bytes.push(rune);
  else if (rune < 0x800) bytes.push(0xc0 | (rune >> 6), tail(rune, 0));
  else if (rune < 0x10000) bytes.push(0xe0 | (rune >> 12), tail(rune, 6), tail(rune, 0));
  else bytes.push(0xf0 | (rune >> 18), tail(rune, 12), tail(rune, 6), tail(rune, 0));
}

function tail(rune: number, shift: number): number {
  return 0x80 | ((rune >> shift) & 0x3f);
}

function decodeRune(bytes: Uint8Array, at: number): { text: string; width: number } {
  const first = bytes[at] ?? 0;
  const width = runeWidth(first);
  if (width === 1 && first < 0x80) return { text: String.fromCharCode(first), width: 1 };
  // The first byte has 5, 4 or 3 bits of the rune.
  let rune = first & (0x7f >> width);
  for (let i = 1; i < width; i++) {
    const next = bytes[at + i];
    if (next === undefined || (next & 0xc0) !== 0x80) return escapeByte(first);
    rune = (rune << 6) | (next & 0x3f);
  }
  return isValidRune(rune, width) ? { text: String.fromCodePoint(rune), width } : escapeByte(first);
}

function runeWidth(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf8 ? 4 : 1;
}

function isValidRune(rune: number, width: number): boolean {
  if (width === 2) return rune >= 0x80;
  if (width === 3) return rune >= 0x800 && !(rune >= 0xd800 && rune <= 0xdfff);
  return width === 4 && rune >= 0x10000 && rune <= 0x10ffff;
}

function escapeByte(byte: number): { text: string; width: number } {
  return { text: String.fromCharCode(ESCAPE_BASE + byte), width: 1 };
}

/** Returns the string of one raw byte. */
export function byteText(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : ESCAPE_BASE + byte);
}
