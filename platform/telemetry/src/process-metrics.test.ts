import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nodeClock } from '@tinkerbell/platform-node';
import { createProcessMetrics, type ProcessMetrics } from './index.ts';

/** Those of prom-client 15 on Linux, in its order. */
const NAMES = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_heap_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_version_info',
  'nodejs_gc_duration_seconds',
];

test('reports the process, Node, collections of garbage and the delay of the event loop', async () => {
  const metrics = createProcessMetrics(nodeClock);
  await metrics.text();
  collectGarbage();
  await settled();
  const text = await metrics.text();
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  // No request of the file system, DNS and the like is under way.
  assert.deepEqual(
    names.filter((name) => name !== 'nodejs_active_requests'),
    NAMES,
  );
  for (const name of NAMES.filter((one) => one.startsWith('process_')))
    assert.ok(Number(sample(text, name)) > 0, `${name} is ${sample(text, name)}`);
  const started = Number(sample(text, 'process_start_time_seconds'));
  assert.ok(Math.abs(started - (nodeClock.nowMs() / 1000 - process.uptime())) < 2);
  assert.match(sample(text, 'nodejs_heap_space_size_used_bytes{space="old"}') ?? '', /^\d+$/);
  assert.ok(Number(sample(text, 'nodejs_gc_duration_seconds_count{kind="major"}')) >= 2);
  assert.match(
    text,
    /^nodejs_version_info\{version="v\d+\.\d+\.\d+",major="\d+",minor="\d+",patch="\d+"\} 1$/m,
  );
});

test('the delay of the event loop is that since the last request', async () => {
  const metrics = createProcessMetrics(nodeClock);
  await metrics.text();
  await settled();
  const end = performance.now() + 100;
  while (performance.now() < end);
  await settled();
  assert.ok((await maximumLag(metrics)) > 0.09);
  await settled();
  assert.ok((await maximumLag(metrics)) < 0.09);
});

async function maximumLag(metrics: ProcessMetrics): Promise<number> {
  return Number(sample(await metrics.text(), 'nodejs_eventloop_lag_max_seconds'));
}

function sample(text: string, name: string): string | undefined {
  return text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

/** Several, which Node reports together. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect();
}

/** Node reports collections and delays of the event loop some milliseconds later. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
