import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EscapeFilter } from './escape.ts';

/** Each text arrives by itself, and the result is what the console gets, with `END` where the session ends. */
function taken(...texts: readonly string[]): string {
  const filter = new EscapeFilter();
  let result = '';
  for (const text of texts) {
    const { bytes, isEnd } = filter.take(new TextEncoder().encode(text));
    result += new TextDecoder().decode(bytes);
    if (isEnd) return `${result}END`;
  }
  return result;
}

const cases: readonly (readonly [readonly string[], string])[] = [
  [['root\r'], 'root\r'],
  [['~.'], 'END'],
  [['~', '.'], 'END'],
  [['ls\r~.rest'], 'ls\rEND'],
  [['ls\n', '~', '.'], 'ls\nEND'],
  [['cd ~.'], 'cd ~.'],
  [['~~'], '~'],
  [['~~.'], '~.'],
  [['~', 'x'], '~x'],
  [['\r~\r~.'], '\r~\rEND'],
];

for (const [texts, result] of cases)
  test(`${JSON.stringify(texts)} becomes ${JSON.stringify(result)}`, () =>
    assert.equal(taken(...texts), result));
