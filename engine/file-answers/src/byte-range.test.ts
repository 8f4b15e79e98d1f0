import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { byteRangeOf } from './byte-range.ts';

// [header, size, expected]
const table: readonly [string | null, number, ReturnType<typeof byteRangeOf>][] = [
  [null, 10, undefined],
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-5', 10, { start: 2, end: 5 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-30', 10, { start: 0, end: 9 }],
  ['bytes=9-100', 10, { start: 9, end: 9 }],
  ['BYTES=1-2', 10, { start: 1, end: 2 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=99-100', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  ['bytes=5-2', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['bytes=-1-2', 10, undefined],
  ['bytes= 1-2', 10, undefined],
  ['bytes=1e1-', 100, undefined],
  ['bytes=0x1-', 100, undefined],
  ['bytes=99999999999999999999-', 10, undefined],
  ['lines=1-2', 10, undefined],
];

for (const [header, size, expected] of table) {
  test(`${header ?? 'no header'} of ${size} bytes`, () =>
    assert.deepEqual(byteRangeOf(header, size), expected));
}

test('a range is never outside the file', () => {
  const header = fc
    .string({ unit: fc.constantFrom('0', '1', '9', '-', ',', '=', ' ') })
    .map((text) => `bytes=${text}`);
  fc.assert(
    fc.property(header, fc.nat({ max: 1000 }), (header, size) => {
      const range = byteRangeOf(header, size);
      if (range === undefined || range === 'unsatisfiable') return;
      assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
    }),
    { numRuns: 2000 },
  );
});
