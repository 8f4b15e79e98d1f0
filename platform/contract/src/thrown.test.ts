import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, errorOf, messageOf, stackOf } from './thrown.ts';

test('an Error gives its message, its code and its stack', () => {
  const error = Object.assign(new Error('file not found'), { code: 'ENOENT' });
  assert.equal(errorOf(error), error);
  assert.deepEqual([messageOf(error), codeOf(error)], ['file not found', 'ENOENT']);
  assert.equal(stackOf(error), error.stack);
});

test('a code that is a number is not the name of a system error', () => {
  assert.equal(codeOf(Object.assign(new Error('aborted'), { code: 20 })), undefined);
});

test('what is not an Error gives its text', () => {
  for (const [thrown, text] of [
    ['the call was cancelled', 'the call was cancelled'],
    [undefined, 'undefined'],
    [null, 'null'],
  ] as const) {
    assert.deepEqual([messageOf(thrown), codeOf(thrown)], [text, undefined]);
    assert.ok(errorOf(thrown) instanceof Error);
  }
});
