import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uidOf } from './index.ts';

test('sets version and variant of a random UUID, and keeps all other bits', () => {
  assert.equal(uidOf(new Uint8Array(16).fill(0xff)), 'ffffffff-ffff-4fff-bfff-ffffffffffff');
  assert.equal(uidOf(new Uint8Array(16)), '00000000-0000-4000-8000-000000000000');
  const counting = Uint8Array.from({ length: 16 }, (_, index) => index);
  assert.equal(uidOf(counting), '00010203-0405-4607-8809-0a0b0c0d0e0f');
  assert.equal(counting[6], 6);
});
