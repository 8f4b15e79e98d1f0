import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBudget } from './line-budget.ts';

const numbered = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `line ${from + at}`);

test('records up to a number of lines, and those before silence', () => {
  const budget = new LineBudget(0);
  assert.equal(budget.take(numbered(0, 3990), 0).length, 3990);
  assert.deepEqual(budget.take(numbered(3990, 20), 1000), numbered(3990, 11));
  assert.deepEqual(budget.takeLast(), numbered(4001, 9));
  assert.deepEqual(budget.take(numbered(0, 1000), 1000), []);
  assert.deepEqual(budget.takeLast(), ['[970 lines are not recorded]', ...numbered(970, 30)]);
  assert.deepEqual(budget.takeLast(), []);
  assert.equal(budget.take(numbered(0, 100), 31_000).length, 33);
  assert.equal(budget.take(numbered(0, 9000), 10 * 3_600_000).length, 4000);
});
