import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './index.ts';

test('counts what is at most each bound, and the rest below infinity', () => {
  const histogram = new Histogram([0.25, 1]);
  for (const value of [0, 0.25, 0.5, 2]) histogram.observe(value);
  assert.equal(histogram.count, 4);
  assert.deepEqual(histogram.samples('held_seconds', 'kind="a"'), {
    'held_seconds_bucket{kind="a",le="0.25"}': 2,
    'held_seconds_bucket{kind="a",le="1"}': 3,
    'held_seconds_bucket{kind="a",le="+Inf"}': 4,
    'held_seconds_sum{kind="a"}': 2.75,
    'held_seconds_count{kind="a"}': 4,
  });
  assert.equal(new Histogram([1]).samples('x')['x_bucket{le="+Inf"}'], 0);
  assert.equal(new Histogram([1]).samples('x')['x_sum'], 0);
});
