import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rowOf, WATCHED } from './benchmark.ts';
import { jsonLine, missedText, tableOf } from './report.ts';

const time = { name: 'time', value: 2, unit: 's', better: 'lower' } as const;
const rate = { name: 'rate', value: 300, unit: '/s', better: 'higher' } as const;

test('a ratio above one means that ours is better, whichever way the unit counts', () => {
  assert.equal(rowOf({ ...time, peer: { name: 'p', value: 3 }, goal: WATCHED }).ratio, 1.5);
  assert.equal(rowOf({ ...rate, peer: { name: 'p', value: 200 }, goal: WATCHED }).ratio, 1.5);
});

test('a goal is met at the goal itself and missed beyond it', () => {
  const peer = { name: 'p', value: 3 };
  assert.equal(rowOf({ ...time, peer, goal: { ratio: 1.5 } }).met, true);
  assert.equal(rowOf({ ...time, peer, goal: { ratio: 1.6 } }).met, false);
  assert.equal(rowOf({ ...time, goal: { value: 2 } }).met, true);
  assert.equal(rowOf({ ...time, goal: { value: 1.9 } }).met, false);
  assert.equal(rowOf({ ...rate, goal: { value: 301 } }).met, false);
});

test('a ratio goal without a peer is neither met nor missed', () => {
  assert.deepEqual(rowOf({ ...time, goal: { ratio: 1 } }), {
    name: 'time',
    value: 2,
    unit: 's',
    peer: null,
    peerValue: null,
    ratio: null,
    goal: '>= 1.0 x',
    met: null,
  });
  assert.equal(rowOf({ ...time, goal: { ratio: 1.25 } }).goal, '>= 1.25 x');
});

test('a missed goal is explained by a minimal program that misses it too, and is not much better', () => {
  const row = (value: number, floor: number) =>
    rowOf({ ...time, value, goal: { value: 1 }, floor: { name: 'minimal', value: floor } });
  assert.equal(row(1.5, 1.3).floor, 'minimal: 1.3 s');
  assert.equal(row(1.5, 0.9).floor, undefined, 'the minimal program meets it');
  assert.equal(row(1.5, 1.1).floor, undefined, 'ours is far behind');
  assert.equal(row(0.9, 1.3).floor, undefined, 'the goal is met');
  const [explained, missed] = [row(1.5, 1.3), row(1.5, 0.9)];
  assert.match(tableOf([explained]), /<= 1 s +missed, as by minimal: 1\.3 s$/m);
  assert.equal(
    missedText([explained, missed, row(0.9, 1.3)]),
    '2 goals missed, 1 of them also by a minimal program\n',
  );
  assert.equal(missedText([row(0.9, 1.3)]), '');
});

test('a ratio is explained by the ratio of the minimal program', () => {
  const peer = { name: 'p', value: 1000 };
  const row = (floor: number) =>
    rowOf({ ...rate, value: 800, peer, goal: { ratio: 1 }, floor: { name: 'm', value: floor } });
  assert.equal(row(900).floor, 'm: 900 /s');
  assert.equal(row(1100).floor, undefined);
});

test('the line for programs is one line of JSON with five digits', () => {
  const line = jsonLine('b', [
    rowOf({ ...time, value: 1.234567, peer: { name: 'p', value: 3 }, goal: WATCHED }),
  ]);
  assert.match(line, /^[^\n]+\n$/);
  assert.deepEqual(Object.keys(JSON.parse(line)), ['bench', 'rows']);
  assert.equal(JSON.parse(line).rows[0].value, 1.2346);
  assert.equal(JSON.parse(line).rows[0].peer, 'p');
});

test('the table aligns its columns and reports what was missed', () => {
  const table = tableOf([
    rowOf({ ...time, peer: { name: 'slow peer', value: 1 }, goal: { ratio: 1 } }),
    rowOf({ ...rate, value: 12_345, goal: { value: 1 } }),
  ]);
  const [, first = '', second = ''] = table.split('\n');
  assert.match(first, /time +2 s +1 s +slow peer +0\.50 x +>= 1\.0 x +MISSED$/);
  assert.match(second, /rate +12,345 \/s .*met$/);
  assert.equal(first.indexOf('2 s') + 3, second.indexOf('/s') + 2);
});
