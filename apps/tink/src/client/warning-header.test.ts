import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningsIn } from './warning-header.ts';

test('reads each warning of a header', () => {
  assert.deepEqual(warningsIn('299 - "one, two", 299 - "a \\"b\\" \\\\ c"'), ['one, two', 'a "b" \\ c']);
  for (const header of ['', '299', '299 - "open', '110 - "stale"', '"'.repeat(1000)])
    assert.deepEqual(warningsIn(header), []);
});
