/**
 * Converts I-Regexp (RFC 9485) as quamina has it to the syntax of RE2. `~` escapes instead of the backslash,
 * which is an ordinary character, and `.` is every character (RE2's flag DOTALL).
 */
import { readCharacterClass, readEscape } from './regexp-class.ts';
import { literal, RegexpCursor } from './regexp-cursor.ts';
import type { RegexpFault } from './regexp-fault.ts';

const COUNT_MAX = 1000;
const GROUPS_MAX = 32;
/**
 * The characters of the expression with its counts multiplied out. A larger number means nested counts. A
 * name or a serial number needs dozens.
 */
const STATES_MAX = 2000;

interface Part {
  readonly re2: string;
  /** At least 1, so that nested `(){1000}` costs something too. */
  readonly states: number;
}

/** Returns the expression in RE2's syntax. Throws a RegexpFault, with its offset in code points. */
export function parseRegexp(text: string): string {
  const cursor = new RegexpCursor(text);
  const { re2 } = readChoice(cursor, 0);
  if (!cursor.atEnd()) throw cursor.fault('expected no ")" without "("');
  return re2;
}

function readChoice(cursor: RegexpCursor, depth: number): Part {
  const branches = [readSequence(cursor, depth)];
  while (cursor.takeIf('|')) branches.push(readSequence(cursor, depth));
  return joined(cursor, branches, '|');
}

function readSequence(cursor: RegexpCursor, depth: number): Part {
  const parts: Part[] = [];
  while (!cursor.atEnd() && cursor.peek() !== '|' && cursor.peek() !== ')')
    parts.push(readQuantifier(cursor, readAtom(cursor, depth)));
  return joined(cursor, parts, '');
}

function joined(cursor: RegexpCursor, parts: readonly Part[], separator: string): Part {
  const states = Math.max(
    1,
    parts.reduce((sum, part) => sum + part.states, (parts.length - 1) * separator.length),
  );
  if (states > STATES_MAX) throw tooLarge(cursor);
  return { re2: parts.map(({ re2 }) => re2).join(separator), states };
}

function tooLarge(cursor: RegexpCursor): RegexpFault {
  return cursor.fault(`expected counts that multiply to fewer than ${STATES_MAX} states`);
}

function readAtom(cursor: RegexpCursor, depth: number): Part {
  const character = cursor.peek() ?? '';
  if ('?*+{}]'.includes(character)) throw cursor.fault(`expected a character before "${character}"`);
  cursor.take();
  if (character === '(') {
    if (depth === GROUPS_MAX) throw cursor.fault(`expected at most ${GROUPS_MAX} groups in each other`);
    const inner = readChoice(cursor, depth + 1);
    if (!cursor.takeIf(')')) throw cursor.fault('expected ")"');
    return { re2: `(?:${inner.re2})`, states: inner.states };
  }
  return { re2: characterOf(cursor, character), states: 1 };
}

function characterOf(cursor: RegexpCursor, character: string): string {
  if (character === '.') return '.';
  if (character === '[') return readCharacterClass(cursor);
  if (character === '~') return readEscape(cursor).re2;
  return literal(character);
}

function readQuantifier(cursor: RegexpCursor, part: Part): Part {
  const sign = ['*', '+', '?'].find((one) => cursor.takeIf(one));
  if (sign !== undefined) return { re2: part.re2 + sign, states: part.states + 1 };
  if (!cursor.takeIf('{')) return part;
  const min = readCount(cursor);
  let max: number | undefined = min;
  if (cursor.takeIf(',')) max = cursor.peek() === '}' ? undefined : readCount(cursor);
  if (!cursor.takeIf('}')) throw cursor.fault('expected "}"');
  if (max !== undefined && max < min) throw cursor.fault('expected the second count to be the larger one');
  const states = Math.max(1, part.states * (max ?? min + 1));
  if (states > STATES_MAX) throw tooLarge(cursor);
  const bounds = max === min ? `${min}` : `${min},${max ?? ''}`;
  return { re2: `${part.re2}{${bounds}}`, states };
}

function readCount(cursor: RegexpCursor): number {
  let digits = '';
  while (/^[0-9]$/.test(cursor.peek() ?? '')) digits += cursor.take() ?? '';
  if (digits === '') throw cursor.fault('expected a count');
  const count = Number(digits);
  if (count > COUNT_MAX) throw cursor.fault(`expected a count of at most ${COUNT_MAX}`);
  return count;
}
