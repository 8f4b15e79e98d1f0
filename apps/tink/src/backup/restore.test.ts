import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@tinkerbell/resources';
import { comparisonOf } from './restore.ts';

const saved: Resource = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { namespace: 'default', name: 'm1', uid: 'old' },
  spec: { disks: [{ device: '/dev/sda' }] },
  status: { state: 'OK' },
};

test('an object without its status is one of an interrupted run, which a restore completes', () => {
  const { status: _, ...unfinished } = saved;
  const comparison = (present: Resource | undefined, overwrite = false) =>
    comparisonOf(present, saved, { uids: new Map(), overwrite });
  assert.equal(comparison(undefined), 'created');
  assert.equal(comparison(unfinished), 'overwritten');
  assert.equal(comparison(saved), 'unchanged');
  assert.equal(comparison({ ...saved, spec: {} }), 'different');
  assert.equal(comparison({ ...saved, spec: {} }, true), 'overwritten');
});
