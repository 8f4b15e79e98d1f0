/** Character classes and escapes of I-Regexp (RFC 9485, charClass). */
import type { RegexpCursor } from './regexp-parser.ts';
import type { CharacterTest } from './regexp-tree.ts';

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

/** What follows `~`: the character meant, or the test of a category. */
export function readEscape(cursor: RegexpCursor): string | CharacterTest {
  const character = cursor.peek() ?? '';
  if (character === 'p' || character === 'P') {
    cursor.take();
    return readCategory(cursor, character === 'P');
  }
  const meant = character !== '' && escapable.includes(character) ? character : controls[character];
  if (meant === undefined) throw cursor.fault(`expected one of ${escapable} n r t p P after "~"`);
  cursor.take();
  return meant;
}

function readCategory(cursor: RegexpCursor, negated: boolean): CharacterTest {
  if (!cursor.takeIf('{')) throw cursor.fault('expected "{"');
  const first = cursor.peek() ?? '';
  const seconds = Object.hasOwn(categories, first) ? categories[first] : undefined;
  if (seconds === undefined) throw cursor.fault('expected a category such as L or Nd');
  cursor.take();
  const second = cursor.peek() ?? '';
  const name = second !== '' && seconds.includes(second) ? first + (cursor.take() ?? '') : first;
  if (!cursor.takeIf('}')) throw cursor.fault('expected "}" or the second letter of a category');
  const category = new RegExp(`^\\p{${name}}$`, 'u');
  return (character) => category.test(character) !== negated;
}

/** After `[`. */
export function readCharacterClass(cursor: RegexpCursor): CharacterTest {
  const negated = cursor.takeIf('^');
  const tests: CharacterTest[] = [];
  if (cursor.takeIf('-')) tests.push(isIn('-', '-'));
  else tests.push(readRange(cursor));
  while (!cursor.takeIf(']')) {
    if (cursor.takeIf('-')) {
      if (cursor.peek() !== ']') throw cursor.fault('expected "]" after "-"');
      tests.push(isIn('-', '-'));
    } else tests.push(readRange(cursor));
  }
  return (character) => tests.some((test) => test(character)) !== negated;
}

/** One character, a range of them, or a category. */
function readRange(cursor: RegexpCursor): CharacterTest {
  const low = readMember(cursor);
  if (typeof low !== 'string') return low;
  if (!cursor.takeIf('-')) return isIn(low, low);
  if (cursor.peek() === ']') {
    const single = isIn(low, low);
    return (character) => character === '-' || single(character);
  }
  const high = readMember(cursor);
  if (typeof high !== 'string') throw cursor.fault('expected a character at the end of the range');
  if ((low.codePointAt(0) ?? 0) > (high.codePointAt(0) ?? 0))
    throw cursor.fault('expected the range to go upwards');
  return isIn(low, high);
}

function readMember(cursor: RegexpCursor): string | CharacterTest {
  if (cursor.takeIf('~')) return readEscape(cursor);
  const character = cursor.peek();
  if (character === undefined) throw cursor.fault('expected "]"');
  if ('[]-'.includes(character)) throw cursor.fault(`expected "~" before "${character}"`);
  cursor.take();
  return character;
}

function isIn(low: string, high: string): CharacterTest {
  const [from, to] = [low.codePointAt(0) ?? 0, high.codePointAt(0) ?? 0];
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    return from <= code && code <= to;
  };
}
