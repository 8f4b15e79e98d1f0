/**
 * Decides how go-yaml v2 (inside sigs.k8s.io/yaml) writes a string: plain if that reads back as the same
 * string, else in single quotes, else in double quotes. Text with line breaks becomes a literal block.
 */

const NOT_STRINGS = new RegExp(
  [
    '(?:|~|null|Null|NULL)',
    '(?:true|True|TRUE|false|False|FALSE)',
    '(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)',
    '[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)',
    '[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)',
    '[-+]?(?:\\.[0-9]+|[0-9]+(?:\\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?',
    '[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\\.[0-9_]*)?',
    '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \\t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*)?',
  ]
    .map((form) => `^(?:${form})$`)
    .join('|'),
);
const LEADING_INDICATOR = /^[#,[\]{}&*!|>'"%@`]|^[?:-](?:\s|$)|^---|^\.\.\./;
const INNER_INDICATOR = /:(?:\s|$)|[\s]#/;
const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '\\0'],
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x1b, '\\e'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x85, '\\N'],
  [0xa0, '\\_'],
  [0x2028, '\\L'],
  [0x2029, '\\P'],
]);

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** Returns the style for a string. */
export function scalarStyle(text: string): ScalarStyle {
  const special = Array.from(text).some((character) => !isPrintable(character.codePointAt(0) ?? 0));
  if (text.includes('\n')) {
    return special || / \n|[ ]$/.test(text) ? 'double' : 'literal';
  }
  // A number too large for a float64 reads back as a string.
  const overflows = /^[-+.0-9eE]+$/.test(text) && Math.abs(Number(text)) === Number.POSITIVE_INFINITY;
  if (special || (NOT_STRINGS.test(text) && !overflows)) return 'double';
  const isQuoted = /^ | $/.test(text) || LEADING_INDICATOR.test(text) || INNER_INDICATOR.test(text);
  return isQuoted ? 'single' : 'plain';
}

/** Returns a character as it is written in double quotes. */
export function escapeCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  const named = ESCAPES.get(codePoint);
  if (named !== undefined) return named;
  if (isPrintable(codePoint)) return character;
  const hex = codePoint.toString(16).toUpperCase();
  if (codePoint <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return codePoint <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** go-yaml v2 treats tabs, carriage returns and everything above U+FFFF as not printable. */
function isPrintable(codePoint: number): boolean {
  if (codePoint === 0x0a) return true;
  if (codePoint < 0xa0) return codePoint >= 0x20 && codePoint <= 0x7e;
  return codePoint <= 0xfffd && codePoint !== 0xfeff;
}
