import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rowOf, WATCHED, type Row } from '../benchmark.ts';
import { BENCHMARKS } from '../benchmarks.ts';
import { HEADLINES, headlineTable } from './headlines.ts';
import { readRecords, type BenchRecord } from './records.ts';
import { allTables } from './tables.ts';

const host = { mode: 'usual', date: '2026-01-02', cores: 2, load: 0.3, stealPercent: 1.5 } as const;
const tftp = (peer: string, value: number, peerValue: number): Row =>
  rowOf({
    name: 'window 16, 50 clients',
    value,
    unit: 'MB/s',
    better: 'higher',
    peer: { name: peer, value: peerValue },
    goal: { ratio: 3 },
  });

test('a table shows each row with its peer, its goal, and whether the goal is met', () => {
  const start = rowOf({ name: 'start', value: 0.6, unit: 's', better: 'lower', goal: { value: 0.5 } });
  const memory = rowOf({ name: 'memory', value: 120, unit: 'MB', better: 'lower', goal: WATCHED });
  const text = allTables([{ bench: 'server', ...host, rows: [start, memory, tftp('p', 900, 300)] }]);
  assert.match(text, /^### server\n\nMeasured 2026-01-02 on 2 cores: load 0.3 before it, 1.5 % of/);
  assert.match(text, /\| start \| 0.6 s \|  \|  \| <= 0.5 s, MISSED \|/);
  assert.match(text, /\| memory \| 120 MB \|  \|  \| none: watched for growth \|/);
  assert.match(text, /\| 900 MB\/s \| 300 MB\/s \(p\) \| 3.00 x \| >= 3.0 x, met \|/);
});

test('a headline has the peer beside which ours is worst', () => {
  const rows = [tftp('slow', 900, 100), tftp('fast', 900, 300)];
  const text = headlineTable([{ bench: 'tftp', ...host, rows }]);
  assert.match(text, /\(fast\)/);
  assert.doesNotMatch(text, /\(slow\)/);
});

test('every headline is the beginning of a recorded row, where its benchmark is recorded', () => {
  const records = new Map<string, BenchRecord>(readRecords().map((record) => [record.bench, record]));
  for (const [bench, begin] of HEADLINES) {
    assert.ok(
      BENCHMARKS.some(({ name }) => name === bench),
      bench,
    );
    const record = records.get(bench);
    if (record?.mode === 'usual')
      assert.ok(
        record.rows.some(({ name }) => name.startsWith(begin)),
        begin,
      );
  }
});
