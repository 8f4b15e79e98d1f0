import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Coalescing } from './coalescing.ts';

test('a rate counts as high from 10,000 datagrams a second on, and no longer when they stop', () => {
  const coalescing = new Coalescing();
  let nowMs = 100;
  const pass = (ms: number, perMs: number) => {
    let isHigh = false;
    for (const end = nowMs + ms; nowMs < end; nowMs += 1) {
      coalescing.add(perMs);
      isHigh = coalescing.isHigh(nowMs);
    }
    return isHigh;
  };
  assert.equal(pass(20, 9), false);
  assert.equal(pass(20, 11), true);
  assert.equal(pass(20, 0), false);
  pass(20, 11);
  nowMs += 1000;
  coalescing.add(1);
  assert.equal(coalescing.isHigh(nowMs), false, 'after a long silence');
});
