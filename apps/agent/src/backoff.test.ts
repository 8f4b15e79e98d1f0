import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createBackoff } from './backoff.ts';

const fixed = (fraction: number) => ({ bytes: () => new Uint8Array(), fraction: () => fraction });

test('grows by half up to the limit and starts over after a reset', () => {
  const backoff = createBackoff(2000, fixed(0.5));
  const delays = Array.from({ length: 6 }, () => backoff.nextMs());
  assert.deepEqual(delays, [500, 750, 1125, 1687.5, 2000, 2000]);
  backoff.reset();
  assert.equal(backoff.nextMs(), 500);
});

test('spreads by half and never beyond the limit', () => {
  assert.equal(createBackoff(5000, fixed(0)).nextMs(), 250);
  assert.ok(createBackoff(600, fixed(0.999)).nextMs() <= 600);
});
