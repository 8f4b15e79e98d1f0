/** Writes JSON in pieces, so that a large value does not take one long stretch of time. */
import { isRecord } from './is-record.ts';

/** Values and characters that `JSON.stringify` writes at once, in about a tenth of a millisecond. */
const AT_ONCE_VALUES = 500;
const AT_ONCE_CHARACTERS = 64 * 1024;

/** Returns what `JSON.stringify` returns for a JSON value. Yields after each piece. */
export function* writeJson(value: unknown): Generator<undefined, string> {
  const pieces: string[] = [];
  yield* write(value, pieces);
  return pieces.join('');
}

function* write(value: unknown, pieces: string[]): Generator<undefined, void> {
  const isLong = !isShort(value);
  if (isLong && Array.isArray(value)) yield* writeList(value, pieces);
  else if (isLong && isRecord(value)) yield* writeObject(value, pieces);
  else {
    pieces.push(JSON.stringify(value));
    yield undefined;
  }
}

function* writeList(list: readonly unknown[], pieces: string[]): Generator<undefined, void> {
  for (const [at, item] of list.entries()) {
    pieces.push(at === 0 ? '[' : ',');
    yield* write(item ?? null, pieces);
  }
  pieces.push(']');
}

function* writeObject(
  value: Readonly<Record<string, unknown>>,
  pieces: string[],
): Generator<undefined, void> {
  let separator = '{';
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined) continue;
    pieces.push(`${separator}${JSON.stringify(name)}:`);
    yield* write(one, pieces);
    separator = ',';
  }
  pieces.push(separator === '{' ? '{}' : '}');
}

/** Reads no more of the value than may be written at once. A scalar is always short. */
function isShort(whole: unknown): boolean {
  if (!Array.isArray(whole) && !isRecord(whole)) return true;
  const waiting: unknown[] = [whole];
  let values = 0;
  let characters = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    values += 1;
    if (typeof value === 'string') characters += value.length;
    else if (Array.isArray(value)) waiting.push(...value.slice(0, AT_ONCE_VALUES));
    else if (isRecord(value))
      for (const [name, one] of Object.entries(value)) {
        characters += name.length;
        waiting.push(one);
      }
    if (values + waiting.length > AT_ONCE_VALUES || characters > AT_ONCE_CHARACTERS) return false;
  }
  return true;
}
