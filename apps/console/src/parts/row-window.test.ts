import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROW_HEIGHT, rowWindow, within } from './row-window.ts';

test('draws every row in view, wherever the table is', () => {
  for (let top = 0; top < 4000; top += 7) {
    for (const height of [1, 39, 40, 417, 900]) {
      const { first, end } = rowWindow({ top, height });
      assert.ok(first * ROW_HEIGHT <= top, `${top} ${height}`);
      assert.ok(end * ROW_HEIGHT >= top + height, `${top} ${height}`);
      assert.ok((end - first) * ROW_HEIGHT <= height + 24 * ROW_HEIGHT, `${top} ${height}`);
    }
  }
});

test('moves in steps, so that a small scroll draws nothing', () => {
  const moves = new Set<string>();
  for (let top = 0; top < 100 * ROW_HEIGHT; top += 10)
    moves.add(JSON.stringify(rowWindow({ top, height: 400 })));
  assert.ok(moves.size <= 52, String(moves.size));
});

test('starts at the first row when the table is pulled beyond its top', () => {
  assert.equal(rowWindow({ top: -80, height: 400 }).first, 0);
});

test('ends with the last row', () => {
  assert.deepEqual(within({ first: 8, end: 40 }, 20), { first: 8, end: 20 });
  assert.deepEqual(within({ first: 8, end: 40 }, 3), { first: 3, end: 3 });
  assert.deepEqual(within({ first: 0, end: 40 }, 0), { first: 0, end: 0 });
});
