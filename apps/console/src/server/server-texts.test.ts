import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksIn, countsBy, samplesIn, totalOf } from './server-texts.ts';
import { pointsOf, withReading, type Reading } from './readings.ts';

const METRICS = `# HELP dhcp_ignored_total x
dhcp_ignored_total{reason="no-hardware"} 3
dhcp_ignored_total{reason="a \\"b\\" {c}"} 4
dhcp_ignored_total{reason="never"} 0
process_resident_memory_bytes 1.5e8
seconds_bucket{le="1"} 5
`;

test('samples have labels, and sums by one of them', () => {
  const samples = samplesIn(METRICS);
  assert.deepEqual(countsBy(samples, 'dhcp_ignored_total', 'reason'), [
    ['a "b" {c}', 4],
    ['no-hardware', 3],
  ]);
  assert.equal(totalOf(samples, 'dhcp_ignored_total'), 7);
  assert.equal(totalOf(samples, 'process_resident_memory_bytes'), 150_000_000);
  assert.equal(totalOf(samples, 'seconds_bucket'), 0);
});

test('checks have the reason of a failure', () => {
  assert.deepEqual(checksIn('[+]store ok\n[-]boot failed: no socket\nreadyz check failed\n'), [
    { name: 'store', failure: '' },
    { name: 'boot', failure: 'no socket' },
  ]);
});

test('a counter is plotted as its rate, and a restart of the server is not a drop', () => {
  const samples = (value: number) => [{ name: 'c', labels: {}, value }];
  const reading = (atMs: number, value: number): Reading => ({ atMs, samples: samples(value) });
  const readings = [reading(0, 10), reading(5000, 20), reading(10_000, 5)].reduce(withReading, []);
  assert.deepEqual(pointsOf(readings, { metric: 'c', isRate: true }), [null, 2, null]);
  assert.deepEqual(pointsOf(readings, { metric: 'c', isRate: false }), [10, 20, 5]);
  const many = Array.from({ length: 900 }, (_, index) => reading(index, index)).reduce(withReading, []);
  assert.deepEqual([many.length, many[0]?.atMs], [720, 180]);
});
