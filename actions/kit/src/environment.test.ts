import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readEnvironment } from './environment.ts';

test('reads values of each kind', () => {
  const read = readEnvironment('x', { A: 'a', F: 'True', N: '7', M: '0644', P: '/p', U: 'https://h/i' });
  assert.equal(read.required('A', 'a'), 'a');
  assert.equal(read.flag('F', false), true);
  assert.equal(read.flag('ABSENT', undefined), undefined);
  assert.equal(read.integer('N', { minimum: 0, maximum: 9 }), 7);
  assert.equal(read.mode('M'), 0o644);
  assert.equal(read.absolutePath('P', 'p'), '/p');
  assert.equal(read.httpUrl('U', 'u').href, 'https://h/i');
  read.finish();
});

test('lists all problems at once, with variable and value', () => {
  const read = readEnvironment('x', { N: '7a', M: '0998', P: 'p', U: 'file:///x', EMPTY: '' });
  read.required('EMPTY', 'something');
  read.integer('N', { minimum: 0, maximum: 9 });
  read.mode('M');
  read.absolutePath('P', 'a path');
  read.httpUrl('U', 'an address');
  assert.throws(
    () => read.finish(),
    /^ActionError: x: EMPTY is missing: set it to something; N=7a is not .*; M=0998 .*; P=p .*; U=file/,
  );
});
