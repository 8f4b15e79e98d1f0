import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceBytes } from './trace-bytes.ts';

test('no two traces share bytes, and few calls fetch randomness', () => {
  let asked = 0;
  const traces = new TraceBytes({
    bytes: (count) => {
      asked += 1;
      return Uint8Array.from({ length: count }, (_, index) => (asked * 128 + Math.floor(index / 24)) % 256);
    },
    fraction: () => 0,
  });
  const taken = Array.from({ length: 256 }, () => traces.next());
  assert.ok(taken.every((bytes) => bytes.length === 24 && bytes.every((byte) => byte === bytes[0])));
  assert.equal(new Set(taken.map(([first]) => first)).size, 256);
  assert.equal(asked, 2);
});
