import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@tinkerbell/resources';
import { revisionAfter, withEvents } from './object-set.ts';

function object(name: string, resourceVersion: string): Resource {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', resourceVersion } };
}

const names = (objects: readonly Resource[]) =>
  objects.map(({ metadata: { name, resourceVersion } }) => `${name}@${resourceVersion}`);

test('changes keep the order, and new objects come last', () => {
  const before = [object('a', '1'), object('b', '2')];
  const after = withEvents(before, [
    { type: 'ADDED', object: object('c', '3') },
    { type: 'MODIFIED', object: object('a', '4') },
    { type: 'DELETED', object: object('b', '5') },
  ]);
  assert.deepEqual(names(after), ['a@4', 'c@3']);
});

test('an object that comes and leaves at once is not shown', () => {
  const events = [
    { type: 'ADDED', object: object('a', '1') },
    { type: 'DELETED', object: object('a', '2') },
  ];
  assert.deepEqual(withEvents([], events), []);
});

test('a bookmark changes only the revision', () => {
  const before = [object('a', '1')];
  const bookmark = [{ type: 'BOOKMARK', object: object('', '9') }];
  assert.equal(withEvents(before, bookmark), before);
  assert.equal(revisionAfter('1', bookmark), '9');
  assert.equal(revisionAfter('1', []), '1');
});
