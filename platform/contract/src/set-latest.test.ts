import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setLatest } from './set-latest.ts';

test('the entry that was set longest ago goes first, also if it was the first of all', () => {
  const map = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) setLatest(map, [key, at], 3);
  assert.deepEqual(
    [...map],
    [
      ['c', 2],
      ['a', 3],
      ['d', 4],
    ],
  );
});
