import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatBytes } from './format-bytes.ts';

test('keeps at most three digits before the unit', () => {
  const texts = [0, 999, 1000, 1536, 36_700_160, 3 * 1024 ** 3].map(formatBytes);
  assert.deepEqual(texts, ['0 B', '999 B', '1.0 KiB'.replace('.0', ''), '1.5 KiB', '35 MiB', '3 GiB']);
});
