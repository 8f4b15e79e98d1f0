import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeClock } from '@tinkerbell/platform-node';
import { createProcessMetrics } from './index.ts';

test('reports the process and the delay of its event loop', async () => {
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
