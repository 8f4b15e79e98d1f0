import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeIn, editCommand, formOf } from './action-edit.ts';

const action = {
  id: '1',
  image: 'writefile',
  command: ['sh', '-c', 'a "b"'],
  environment: { DEST_DISK: '/dev/vdz', MODE: '0644' },
  volumes: ['/dev:/dev'],
  timeout: 300,
};

test('an action that is not changed has no request', () => {
  assert.deepEqual(changeIn(formOf(action), action), { problem: 'Nothing is changed.' });
  assert.deepEqual(changeIn(formOf({ id: '1' }), { id: '1' }), { problem: 'Nothing is changed.' });
});

test('the request has the changed fields only, with all variables', () => {
  const form = {
    ...formOf(action),
    variables: [{ name: 'DEST_DISK', value: '/dev/vda' }],
    volumes: '/dev:/dev\n\n /data:/data ',
    timeout: '0',
  };
  const read = changeIn(form, action);
  const change = {
    environment: { DEST_DISK: '/dev/vda' },
    volumes: ['/dev:/dev', '/data:/data'],
    timeout: 0,
  };
  assert.deepEqual(read, { change });
  const edited = { workflow: 'm1', namespace: 'lab', words: 'install/write first', action };
  assert.equal(
    editCommand(edited, change, "it's new"),
    String.raw`tink workflow edit m1 'install/write first' --env DEST_DISK=/dev/vda --unset-env MODE ` +
      String.raw`--volume /dev:/dev --volume /data:/data --timeout 0 --why 'it'\''s new' -n lab`,
  );
});

test('a form that cannot be sent says why', () => {
  const problemOf = (wrong: object): string => {
    const read = changeIn({ ...formOf(action), ...wrong }, action);
    return 'problem' in read ? read.problem : '';
  };
  assert.match(problemOf({ command: 'sh -c true' }), /JSON list/);
  assert.match(problemOf({ command: '[1]' }), /JSON list/);
  assert.match(problemOf({ timeout: '-1' }), /whole seconds/);
  assert.match(problemOf({ variables: [{ name: '', value: '' }] }), /needs a name/);
  const twice = [action.environment, action.environment].map(() => ({ name: 'A', value: '' }));
  assert.match(problemOf({ variables: twice }), /A is duplicated/);
});
