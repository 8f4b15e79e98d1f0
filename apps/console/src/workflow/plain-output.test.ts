import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relativeTime, bytesText, durationText } from '../parts/relative-time.ts';
import { plainOutput } from './plain-output.ts';

test('what a terminal would obey is removed, and text stays', () => {
  assert.equal(plainOutput('\u001b[1;32mdone\u001b[0m'), 'done');
  assert.equal(plainOutput('\u001b]0;owned\u0007a\u001b]8;;http://x\u001b\\b'), 'ab');
  assert.equal(plainOutput('a\u001b'), 'a');
  assert.equal(plainOutput('10 %\r100 %\r'), '100 %');
  assert.equal(plainOutput('left\u202eright\u0000\u009b31m'), 'leftright31m');
  assert.equal(plainOutput('<b>ü\t漢</b>'), '<b>ü\t漢</b>');
});

test('times are relative, and amounts have units', () => {
  assert.deepEqual(
    [0, 5000, 65_000, 7_200_000, 200_000_000, -60_000].map((ms) => relativeTime(1e12 - ms, 1e12)),
    ['now', '5 s ago', '1 min ago', '2 h ago', '2 d ago', 'in 1 min'],
  );
  assert.deepEqual([12, 1234, 61_000, 3_700_000].map(durationText), [
    '12 ms',
    '1.2 s',
    '1 min 1 s',
    '1 h 1 min',
  ]);
  assert.deepEqual([0, 999, 1000, 1_400_000].map(bytesText), ['0 B', '999 B', '1.0 kB', '1.4 MB']);
});
