import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_ACTIONS } from '@tinkerbell/template';
import { builtInAction, unknownImage, WAIT_DAEMON } from './built-in-actions.ts';

test('the actions that templates are checked against are the built-in ones', () => {
  const programs = BUILT_IN_ACTIONS.filter((name) => name !== WAIT_DAEMON);
  for (const name of programs) assert.ok(builtInAction(`quay.io/tinkerbell/actions/${name}:v1`), name);
  const names = /built-in images are ([^;]*)/.exec(unknownImage('x'))?.[1]?.split(', ');
  assert.deepEqual(names?.toSorted(), [...BUILT_IN_ACTIONS].toSorted());
});
