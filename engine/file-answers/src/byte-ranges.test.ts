import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { byteRangeOf } from './byte-range.ts';
import { byteRangesOf } from './byte-ranges.ts';

test('one range is read as before', () => {
  for (const header of ['bytes=2-5', 'BYTES=-3', ' bytes=9-'])
    assert.deepEqual(byteRangesOf(header, 10), [byteRangeOf(header, 10)]);
  for (const header of [null, '', 'bytes=', 'bytes=5-2', 'bytes= 1-2', 'lines=1-2'])
    assert.equal(byteRangesOf(header, 10), undefined, header ?? 'none');
  assert.equal(byteRangesOf('bytes=10-', 10), 'unsatisfiable');
});

test('ranges are sorted and merged, those beyond the end are omitted, and bad syntax invalidates all', () => {
  assert.deepEqual(byteRangesOf('bytes=5000-5001, 0-1', 10_000), [
    { start: 0, end: 1 },
    { start: 5000, end: 5001 },
  ]);
  assert.deepEqual(byteRangesOf('bytes=0-9999,5-6,129-130', 10_000), [{ start: 0, end: 9999 }]);
  assert.deepEqual(byteRangesOf('bytes=0-1,20000-', 10_000), [{ start: 0, end: 1 }]);
  assert.equal(byteRangesOf('bytes=10000-,20000-', 10_000), 'unsatisfiable');
  assert.equal(byteRangesOf('bytes=0-1,x', 10_000), undefined);
  assert.equal(byteRangesOf('bytes=0-1,', 10_000), undefined);
  assert.equal(byteRangesOf(`bytes=${'0-1,'.repeat(16)}0-1`, 10_000), undefined);
});

test('for any request, parts are within the file, in order, and never send a byte twice', () => {
  const one = fc
    .tuple(fc.nat({ max: 2000 }), fc.nat({ max: 2000 }))
    .map(([start, more]) => `${start}-${start + more}`);
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 16 }), fc.nat({ max: 3000 }), (specs, size) => {
      const ranges = byteRangesOf(`bytes=${specs.join(',')}`, size);
      if (ranges === 'unsatisfiable' || ranges === undefined) return;
      let before = -1;
      for (const { start, end } of ranges) {
        assert.ok(before < start && start <= end && end < size);
        before = end;
      }
    }),
    { numRuns: 1000 },
  );
});
