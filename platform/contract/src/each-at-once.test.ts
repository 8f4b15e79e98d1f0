import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachAtOnce } from './each-at-once.ts';
import { nextTurn } from './next-turn.ts';

test('acts on each item once, on so many at a time, in their order', async () => {
  const [begun, most]: [number[], number[]] = [[], []];
  let running = 0;
  await eachAtOnce(new Set([1, 2, 3, 4, 5]), 2, async (item) => {
    begun.push(item);
    most.push((running += 1));
    await nextTurn();
    running -= 1;
  });
  assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  assert.equal(Math.max(...most), 2);
});

test('rejects with the first failure', async () => {
  const failing = eachAtOnce([1, 2], 1, (item) => Promise.reject(new Error(`item ${item}`)));
  await assert.rejects(failing, /item 1/);
});
