/** Character classes and escapes of I-Regexp (RFC 9485, charClass), in the syntax of RE2. */
import { literal, type RegexpCursor } from './regexp-cursor.ts';

const escapable = '()*+-.?[\\]^{|}~';
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
/** General categories, by first letter. */
const categories: Readonly<Record<string, string>> = {
  L: 'lmotu',
  M: 'cen',
  N: 'dlo',
  P: 'cdefios',
  Z: 'lps',
  S: 'ckmo',
  C: 'cfno',
};

/** One character, or a category of them, which cannot be the end of a range. */
interface Member {
  readonly re2: string;
  readonly character?: string;
}

/** Reads what follows `~`. */
export function readEscape(cursor: RegexpCursor): Member {
  const character = cursor.peek() ?? '';
  if (character === 'p' || character === 'P') {
    cursor.take();
    return { re2: readCategory(cursor, character) };
  }
  const meant = character !== '' && escapable.includes(character) ? character : controls[character];
  if (meant === undefined) throw cursor.fault(`expected one of ${escapable} n r t p P after "~"`);
  cursor.take();
  return { re2: literal(meant), character: meant };
}

function readCategory(cursor: RegexpCursor, sign: 'p' | 'P'): string {
  if (!cursor.takeIf('{')) throw cursor.fault('expected "{"');
  const first = cursor.peek() ?? '';
  const seconds = Object.hasOwn(categories, first) ? categories[first] : undefined;
  if (seconds === undefined) throw cursor.fault('expected a category such as L or Nd');
  cursor.take();
  const second = cursor.peek() ?? '';
  const name = second !== '' && seconds.includes(second) ? first + (cursor.take() ?? '') : first;
  if (!cursor.takeIf('}')) throw cursor.fault('expected "}" or the second letter of a category');
  return `\\${sign}{${name}}`;
}

/** Reads what follows `[`. */
export function readCharacterClass(cursor: RegexpCursor): string {
  const members = [cursor.takeIf('^') ? '[^' : '['];
  members.push(cursor.takeIf('-') ? literal('-') : readRange(cursor));
  while (!cursor.takeIf(']')) {
    if (cursor.takeIf('-')) {
      if (cursor.peek() !== ']') throw cursor.fault('expected "]" after "-"');
      members.push(literal('-'));
    } else members.push(readRange(cursor));
  }
  return `${members.join('')}]`;
}

/** Reads one character, a range of them, or a category. */
function readRange(cursor: RegexpCursor): string {
  const low = readMember(cursor);
  if (low.character === undefined || !cursor.takeIf('-')) return low.re2;
  if (cursor.peek() === ']') return low.re2 + literal('-');
  const high = readMember(cursor);
  if (high.character === undefined) throw cursor.fault('expected a character at the end of the range');
  if ((low.character.codePointAt(0) ?? 0) > (high.character.codePointAt(0) ?? 0))
    throw cursor.fault('expected the range to go upwards');
  return `${low.re2}-${high.re2}`;
}

function readMember(cursor: RegexpCursor): Member {
  if (cursor.takeIf('~')) return readEscape(cursor);
  const character = cursor.peek();
  if (character === undefined) throw cursor.fault('expected "]"');
  if ('[]-'.includes(character)) throw cursor.fault(`expected "~" before "${character}"`);
  cursor.take();
  return { re2: literal(character), character };
}
