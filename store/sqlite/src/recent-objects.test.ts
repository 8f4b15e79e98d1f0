import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentObjects } from './recent-objects.ts';

const key = (name: string) => ({ collection: 'hardware.tinkerbell.org', namespace: 'default', name });
const stored = (name: string, revision: number) => ({
  key: key(name),
  revision,
  object: {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default' },
  },
});

test('keeps what was written last, and no more than it may', () => {
  const recent = new RecentObjects(2);
  recent.set(stored('a', 1));
  recent.set(stored('b', 2));
  recent.set(stored('a', 3));
  recent.set(stored('c', 4));
  const revisions = ['a', 'b', 'c'].map((name) => recent.get(key(name))?.revision);
  assert.deepEqual(revisions, [3, undefined, 4]);
  recent.delete(key('a'));
  assert.equal(recent.get(key('a')), undefined);
  recent.clear();
  assert.equal(recent.get(key('c')), undefined);
});
