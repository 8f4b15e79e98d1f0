import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateGate } from './rate-gate.ts';

test('a key passes once per interval, and the number of keys is limited', () => {
  let nowMs = 0;
  const passes = createRateGate({ monotonicMs: () => nowMs }, { intervalMs: 100, keysMax: 2 });
  assert.deepEqual(['a', 'a', 'b', 'c', 'b'].map(passes), [true, false, true, false, false]);
  nowMs = 99;
  assert.equal(passes('a'), false);
  nowMs = 100;
  assert.deepEqual(['c', 'a', 'b'].map(passes), [true, true, false]);
});

test('a burst passes at once, further keys at an even rate', () => {
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
  assert.equal(passing('aefghij'), 'efg', 'a longer pause does not raise the burst');
  nowMs = 100;
  assert.equal(passing('abcdefghij'), 'abc', 'nor does a new interval');
});
