import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { splitZeros } from './zero-runs.ts';

const KIBIBYTE = 1024;

test('keeps short runs of zeros as data', () => {
  const buffer = Buffer.alloc(512 * KIBIBYTE, 1);
  buffer.fill(0, 64 * KIBIBYTE, 256 * KIBIBYTE);
  assert.deepEqual(splitZeros(buffer), [{ start: 0, end: buffer.length, zero: false }]);
});

test('splits a buffer of zeros, data, zeros', () => {
  const buffer = Buffer.alloc(1024 * KIBIBYTE);
  buffer[600 * KIBIBYTE] = 1;
  assert.deepEqual(splitZeros(buffer), [
    { start: 0, end: 576 * KIBIBYTE, zero: true },
    { start: 576 * KIBIBYTE, end: 640 * KIBIBYTE, zero: false },
    { start: 640 * KIBIBYTE, end: 1024 * KIBIBYTE, zero: true },
  ]);
});

test('covers the buffer without gap or overlap, and calls only zeros zero', () => {
  const marks = fc.array(fc.nat({ max: 1_500_000 }), { maxLength: 6 });
  fc.assert(
    fc.property(fc.nat({ max: 1_500_000 }), marks, (length, places) => {
      const buffer = Buffer.alloc(length);
      for (const place of places) if (place < length) buffer[place] = 7;
      let next = 0;
      for (const part of splitZeros(buffer)) {
        assert.equal(part.start, next);
        assert.ok(part.end > part.start);
        if (part.zero) assert.ok(buffer.subarray(part.start, part.end).every((byte) => byte === 0));
        next = part.end;
      }
      assert.equal(next, length);
    }),
    { numRuns: 50 },
  );
});
