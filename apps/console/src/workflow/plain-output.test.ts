import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainOutput } from './plain-output.ts';

test('what a terminal would obey is removed, and text stays', () => {
  assert.equal(plainOutput('\u001b[1;32mdone\u001b[0m'), 'done');
  assert.equal(plainOutput('\u001b]0;owned\u0007a\u001b]8;;http://x\u001b\\b'), 'ab');
  assert.equal(plainOutput('a\u001b'), 'a');
  assert.equal(plainOutput('10 %\r100 %\r'), '100 %');
  assert.equal(plainOutput('left\u202eright\u0000\u009b31m'), 'leftright31m');
  assert.equal(plainOutput('<b>ü\t漢</b>'), '<b>ü\t漢</b>');
});
