import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceDigits } from './trace-digits.ts';

test('no two traces share digits, and few calls fetch randomness', () => {
  let asked = 0;
  const traces = new TraceDigits({
    bytes: (count) => {
      asked += 1;
      return Uint8Array.from({ length: count }, (_, index) => (asked * 128 + Math.floor(index / 24)) % 256);
    },
    fraction: () => 0,
  });
  const taken = Array.from({ length: 256 }, () => traces.next());
  assert.ok(taken.every((digits) => /^([0-9a-f]{2})\1{23}$/.test(digits)));
  assert.equal(new Set(taken).size, 256);
  assert.equal(asked, 2);
});
