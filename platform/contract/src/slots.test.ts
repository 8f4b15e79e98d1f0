import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './index.ts';

test('a slot is free again once it was released, and counts only once', () => {
  const slots = new Slots(2);
  const [one, two] = [slots.take(), slots.take()];
  assert.ok(one !== undefined && two !== undefined);
  assert.equal(slots.take(), undefined);
  one();
  one();
  assert.equal(slots.taken(), 1);
  assert.ok(slots.take() !== undefined);
  assert.equal(slots.take(), undefined);
});
