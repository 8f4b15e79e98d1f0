import assert from 'node:assert/strict';
import { test } from 'node:test';

import { alternate, median, quantile } from './rounds.ts';

test('the median is the middle value, or the mean of the two middle ones', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 3, 100]), 3.5);
  assert.ok(Number.isNaN(median([])));
});

test('a quantile lies between the values around it', () => {
  assert.equal(quantile([1, 2, 3, 4, 5], 0.25), 2);
  assert.equal(quantile([0, 10], 0.99), 9.9);
});

test('contenders take turns, each round beginning with the next', async () => {
  const order: string[] = [];
  const contender = (name: string) => async (round: number) => {
    order.push(name);
    return round;
  };
  const results = await alternate(3, { a: contender('a'), b: contender('b') });
  assert.equal(order.join(''), 'abbaab');
  assert.deepEqual(results, { a: [0, 1, 2], b: [0, 1, 2] });
});
