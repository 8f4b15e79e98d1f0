import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksIn, countsBy, samplesIn, totalOf } from './server-texts.ts';

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
