import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { createProcessMetrics, metricsText } from './index.ts';

test('tells each family once, with what it means, and keeps its samples together', () => {
  const text = metricsText(
    [
      { name: 'sent_total', type: 'counter', help: 'sent\nby \\ type' },
      { name: 'open', type: 'gauge', help: 'open now' },
      { name: 'never', type: 'gauge', help: 'not there' },
    ],
    [
      ['sent_total{type="a"}', 1],
      ['open', 0],
      ['sent_total{type="b"}', 2.5],
      ['unknown_total', Infinity],
    ],
  );
  assert.equal(
    text,
    String.raw`# HELP sent_total sent\nby \\ type
# TYPE sent_total counter
sent_total{type="a"} 1
sent_total{type="b"} 2.5
# HELP open open now
# TYPE open gauge
open 0
# TYPE unknown_total untyped
unknown_total +Inf
`,
  );
});

test('buckets, sum and count of a histogram are one family', () => {
  const histogram = new Histogram([1]);
  histogram.observe(0.5);
  const text = metricsText(
    [{ name: 'took_seconds', type: 'histogram', help: 'how long' }],
    Object.entries(histogram.samples('took_seconds')),
  );
  assert.equal(
    text,
    '# HELP took_seconds how long\n# TYPE took_seconds histogram\ntook_seconds_bucket{le="1"} 1\n' +
      'took_seconds_bucket{le="+Inf"} 1\ntook_seconds_sum 0.5\ntook_seconds_count 1\n',
  );
});

test('tells of the process and how late its event loop is', async () => {
  const metrics = createProcessMetrics(nodeClock);
  const text = await metrics.text();
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_open_fds',
    'nodejs_eventloop_lag_seconds',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
  ])
    assert.match(text, new RegExp(`^# TYPE ${name} \\w+\n${name} [\\d.e-]+$`, 'm'));
});
