import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createWorkflowsMetrics } from './metrics.ts';
import { HandoverTimes } from './handover-times.ts';

test('measures from a report to the next action of the same agent, once', () => {
  let nowMs = 0;
  const set = new MetricSet();
  const times = new HandoverTimes({ monotonicMs: () => nowMs }, createWorkflowsMetrics(set));
  times.served('a');
  times.reported('a', nowMs);
  nowMs = 2;
  times.served('b');
  times.served('a');
  times.served('a');
  times.reported('c', nowMs);
  times.forget('c');
  times.served('c');
  const counters = samplesOf(set);
  assert.equal(counters['tink_server_next_action_seconds_count'], 1);
  assert.equal(counters['tink_server_next_action_seconds_sum'], 0.002);
});
