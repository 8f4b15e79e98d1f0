import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatExecutionDuration } from './execution-duration.ts';

test('writes the two largest units', () => {
  assert.deepEqual([0, 15, 3120, 3000, 62_000, 3_720_000, 3_600_005, -5].map(formatExecutionDuration), [
    '0s',
    '15ms',
    '3s120ms',
    '3s',
    '1m2s',
    '1h2m',
    '1h5ms',
    '0s',
  ]);
});
