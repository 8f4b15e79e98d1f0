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
