/**
 * Makes text from machines and servers safe to print on one line. Characters that would move a terminal's cursor or change its
 * colours become escapes such as `\x1b`. Line breaks and tabs become spaces.
 */
export function printable(text: string): string {
  return printableWithTabs(text).replace(/[\t]+/g, ' ');
}

/** Like `printable`, but keeps tabs. */
export function printableWithTabs(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped);
}

/** Like `printable`, but keeps lines. */
export function printableLines(text: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => printable(line.replace(/\r$/, '')));
}

/**
 * Escapes control characters in text of any format, and keeps line breaks and tabs. The escapes are valid in JSON and in quoted
 * YAML strings, so such documents keep their values.
 */
export function withoutControls(text: string): string {
  return text.replace(/(?!\r\n)(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, unicodeEscaped);
}

function unicodeEscaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
