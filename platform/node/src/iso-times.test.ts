import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTimes } from './iso-times.ts';

test('times are those of Date, also when the clock is set back', () => {
  let now = 0;
  const isoTime = isoTimes(() => now);
  for (now of [0, 7, 42, 999, 1000, 86_399_999, 86_400_000, 1_795_817_999_999, 1_795_818_000_000, 41])
    assert.equal(isoTime(), new Date(now).toISOString());
});
