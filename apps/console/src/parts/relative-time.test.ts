import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, durationText, relativeTime, wholeSecondsText } from './relative-time.ts';

test('a relative time has the largest unit', () => {
  assert.deepEqual(
    [0, 5000, 65_000, 7_200_000, 200_000_000, -60_000].map((ms) => relativeTime(1e12 - ms, 1e12)),
    ['now', '5 s ago', '1 min ago', '2 h ago', '2 d ago', 'in 1 min'],
  );
});

test('a duration never has sixty seconds, nor a thousand milliseconds', () => {
  const cases: readonly (readonly [ms: number, text: string])[] = [
    [0, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [1234, '1.2 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 0 s'],
    [119_700, '2 min 0 s'],
    [3_599_700, '1 h 0 min'],
    [3_840_000, '1 h 4 min'],
  ];
  for (const [ms, text] of cases) assert.equal(durationText(ms), text);
});

test('stamps of whole seconds claim no tenths', () => {
  assert.deepEqual([0, 999, 10_000, 17_600, 125_000].map(wholeSecondsText), [
    'under 1 s',
    'under 1 s',
    '10 s',
    '17 s',
    '2 min 5 s',
  ]);
});

test('amounts have units', () => {
  assert.deepEqual([0, 999, 1000, 1_400_000].map(bytesText), ['0 B', '999 B', '1.0 kB', '1.4 MB']);
});
