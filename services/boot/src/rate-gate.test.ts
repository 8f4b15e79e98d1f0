import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateGate } from './rate-gate.ts';

test('a key passes once per interval, and the number of keys is limited', () => {
  let nowMs = 0;
  const gate = new RateGate({ monotonicMs: () => nowMs }, { intervalMs: 100, keysMax: 2 });
  const passes = (key: string) => gate.passes(key);
  assert.deepEqual(['a', 'a', 'b', 'c', 'b'].map(passes), [true, false, true, false, false]);
  nowMs = 99;
  assert.equal(passes('a'), false);
  nowMs = 100;
  assert.deepEqual(['c', 'a', 'b'].map(passes), [true, true, false]);
});

test('a burst passes at once, further keys at an even rate', () => {
  let nowMs = 0;
  const limits = { intervalMs: 100, keysMax: 10, atOnce: 3 };
  const gate = new RateGate({ monotonicMs: () => nowMs }, limits);
  const passing = (keys: string) =>
    keys
      .split('')
      .filter((key) => gate.passes(key))
      .join('');
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

test('a gate is shut while no key passes', () => {
  let nowMs = 0;
  const gate = new RateGate({ monotonicMs: () => nowMs }, { intervalMs: 100, keysMax: 10, atOnce: 2 });
  assert.deepEqual(
    [gate.isShut(), gate.passes('a'), gate.isShut(), gate.passes('b')],
    [false, true, false, true],
  );
  assert.equal(gate.isShut(), true);
  nowMs = 10;
  assert.equal(gate.isShut(), false, 'asking does not shut it');
  assert.equal(gate.isShut(), false);
});
