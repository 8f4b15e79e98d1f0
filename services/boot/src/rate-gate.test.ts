import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateGate } from './rate-gate.ts';

test('a key passes once per interval, and only so many keys pass', () => {
  let nowMs = 0;
  const passes = createRateGate({ monotonicMs: () => nowMs }, { intervalMs: 100, keysMax: 2 });
  assert.deepEqual(['a', 'a', 'b', 'c', 'b'].map(passes), [true, false, true, false, false]);
  nowMs = 99;
  assert.equal(passes('a'), false);
  nowMs = 100;
  assert.deepEqual(['c', 'a', 'b'].map(passes), [true, true, false]);
});

test('so many keys pass together, the others as they would at an even rate', () => {
  let nowMs = 0;
  const limits = { intervalMs: 100, keysMax: 10, atOnce: 3 };
  const passes = createRateGate({ monotonicMs: () => nowMs }, limits);
  const passing = (keys: string) => keys.split('').filter(passes).join('');
  assert.equal(passing('abcde'), 'abc');
  nowMs = 9;
  assert.equal(passing('d'), '');
  nowMs = 10;
  assert.equal(passing('adef'), 'd');
  nowMs = 60;
  assert.equal(passing('aefghij'), 'efg', 'no more together after a longer pause');
  nowMs = 100;
  assert.equal(passing('abcdefghij'), 'abc', 'nor in a new interval');
});
