import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BegunAtOnce } from './begun-at-once.ts';

test('requests begin one at a time for a second after a call with a verified token', () => {
  const begun = new BegunAtOnce();
  assert.equal(begun.count(0), 8);
  begun.proven(5000);
  assert.equal(begun.count(5000), 1);
  assert.equal(begun.count(5999), 1);
  assert.equal(begun.count(6000), 8);
});
