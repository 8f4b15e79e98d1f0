/**
 * I-Regexp (RFC 9485) as quamina has it: `~` escapes instead of the backslash, which is a character like others, and `.` is every
 * character. Repetitions are expanded here, so that what is left is choices, loops and single characters.
 */
import { RegexpFault, type CharacterTest, type RegexpNode } from './regexp-tree.ts';
import { readCharacterClass, readEscape } from './regexp-class.ts';

const COUNT_MAX = 1000;
const GROUPS_MAX = 32;

/** Offsets in faults count code points. */
export function parseRegexp(text: string): RegexpNode {
  const cursor = new RegexpCursor(text);
  const tree = readChoice(cursor, 0);
  if (!cursor.atEnd()) throw cursor.fault('expected no ")" without "("');
  return tree;
}

export class RegexpCursor {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = Array.from(text);
  }

  peek(): string | undefined {
    return this.#characters[this.#at];
  }

  take(): string | undefined {
    return this.#characters[this.#at++];
  }

  takeIf(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  fault(message: string): RegexpFault {
    return new RegexpFault(Math.min(this.#at, this.#characters.length), message);
  }
}

function readChoice(cursor: RegexpCursor, depth: number): RegexpNode {
  const branches = [readSequence(cursor, depth)];
  while (cursor.takeIf('|')) branches.push(readSequence(cursor, depth));
  const [only] = branches;
  return branches.length === 1 && only !== undefined ? only : { kind: 'choice', branches };
}

function readSequence(cursor: RegexpCursor, depth: number): RegexpNode {
  const items: RegexpNode[] = [];
  while (!cursor.atEnd() && cursor.peek() !== '|' && cursor.peek() !== ')')
    items.push(readQuantifier(cursor, readAtom(cursor, depth)));
  return { kind: 'sequence', items };
}

function readAtom(cursor: RegexpCursor, depth: number): RegexpNode {
  const character = cursor.peek() ?? '';
  if ('?*+{}]'.includes(character)) throw cursor.fault(`expected a character before "${character}"`);
  cursor.take();
  if (character === '(') {
    if (depth === GROUPS_MAX) throw cursor.fault(`expected at most ${GROUPS_MAX} groups in each other`);
    const inner = readChoice(cursor, depth + 1);
    if (!cursor.takeIf(')')) throw cursor.fault('expected ")"');
    return inner;
  }
  return { kind: 'character', test: testOf(cursor, character) };
}

function testOf(cursor: RegexpCursor, character: string): CharacterTest {
  if (character === '.') return () => true;
  if (character === '[') return readCharacterClass(cursor);
  if (character === '~') {
    const escaped = readEscape(cursor);
    return typeof escaped === 'string' ? (one) => one === escaped : escaped;
  }
  return (one) => one === character;
}

function readQuantifier(cursor: RegexpCursor, node: RegexpNode): RegexpNode {
  if (cursor.takeIf('*')) return { kind: 'repeat', node, min: 0, max: undefined };
  if (cursor.takeIf('+')) return { kind: 'repeat', node, min: 1, max: undefined };
  if (cursor.takeIf('?')) return { kind: 'repeat', node, min: 0, max: 1 };
  if (!cursor.takeIf('{')) return node;
  const min = readCount(cursor);
  let max: number | undefined = min;
  if (cursor.takeIf(',')) max = cursor.peek() === '}' ? undefined : readCount(cursor);
  if (!cursor.takeIf('}')) throw cursor.fault('expected "}"');
  if (max !== undefined && max < min) throw cursor.fault('expected the second count to be the larger one');
  return { kind: 'repeat', node, min, max };
}

function readCount(cursor: RegexpCursor): number {
  let digits = '';
  while (/^[0-9]$/.test(cursor.peek() ?? '')) digits += cursor.take() ?? '';
  if (digits === '') throw cursor.fault('expected a count');
  const count = Number(digits);
  if (count > COUNT_MAX) throw cursor.fault(`expected a count of at most ${COUNT_MAX}`);
  return count;
}
