import assert from 'node:assert/strict';
import { test } from 'node:test';

import { packageOf } from './build-segments.ts';

test('the name of a package file has its version', () => {
  assert.deepEqual(packageOf('/cache/libcap2_1%3a2.66-4+deb12u3+b1_amd64.deb'), {
    name: 'libcap2',
    version: '1:2.66-4+deb12u3+b1',
  });
});
