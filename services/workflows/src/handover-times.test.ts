import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandoverTimes } from './handover-times.ts';

test('measures from a report to the next action of the same agent, once', () => {
  let nowMs = 0;
  const times = new HandoverTimes({ monotonicMs: () => nowMs });
  times.served('a');
  times.reported('a');
  nowMs = 2;
  times.served('b');
  times.served('a');
  times.served('a');
  times.reported('c');
  times.forget('c');
  times.served('c');
  const counters = times.counters();
  assert.equal(counters['tink_server_next_action_seconds_count'], 1);
  assert.equal(counters['tink_server_next_action_seconds_sum'], 0.002);
});
