/**
 * Text from machines and servers as one line that is safe to print: what would move a terminal's cursor or change its
 * colours shows as `\x1b`, line breaks and tabs as spaces.
 */
export function printable(text: string): string {
  return printableWithTabs(text).replace(/[\t]+/g, ' ');
}

/** The same with tabs, as programs print them. */
export function printableWithTabs(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped);
}

/** The same for a text of several lines, which stay lines. */
export function printableLines(text: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => printable(line.replace(/\r$/, '')));
}

/**
 * Text of any form without what would steer a terminal; line ends and tabs stay. The escapes are those of JSON and of quoted
 * strings in YAML, so that such documents keep their values.
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
