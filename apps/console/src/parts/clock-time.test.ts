import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOf } from './clock-time.ts';

const at = Date.parse('2026-11-26T23:41:07.123Z');

test('a time of today has milliseconds, and one of another day its date', () => {
  const utc = clockOf('UTC');
  assert.equal(utc.text(at, at + 60_000), '23:41:07.123');
  assert.equal(utc.text(at, at + 3_600_000), '2026-11-26 23:41:07');
});

test('the day and the exact time are those of the zone, which is named', () => {
  const tokyo = clockOf('Asia/Tokyo');
  assert.equal(tokyo.text(at, at + 3_600_000), '08:41:07.123');
  assert.equal(tokyo.exact(at), '2026-11-27 08:41:07 GMT+9');
  assert.equal(tokyo.zone, 'Asia/Tokyo');
  assert.equal(clockOf('UTC').exact(at), '2026-11-26 23:41:07 UTC');
});
