import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndpointHealth } from './endpoint-health.ts';

test('as many checks in a row as the thresholds say change what we think of an endpoint', () => {
  const health = new EndpointHealth({ healthyAfter: 3, unhealthyAfter: 2 });
  const changes = [false, true, false, false, true, true, false, true, true, true].map((one) =>
    health.checked(one),
  );
  assert.deepEqual(
    changes.flatMap((hasChanged, index) => (hasChanged ? [index] : [])),
    [3, 9],
  );
});

test('shuns an endpoint longer with every failure, and forgets with an answer', () => {
  const health = new EndpointHealth({ healthyAfter: 1, unhealthyAfter: 1 });
  const shunnedMs = Array.from({ length: 7 }, () => {
    health.failed(0);
    return [1999, 3999, 7999, 15_999, 31_999, 59_999].findLast((ms) => !health.isWorthAsking(ms));
  });
  assert.deepEqual(shunnedMs, [1999, 3999, 7999, 15_999, 31_999, 59_999, 59_999]);
  assert.ok(health.isWorthAsking(60_000));
  health.answered();
  assert.ok(health.isWorthAsking(0));
  health.failed(0);
  assert.ok(health.isWorthAsking(2000));
});
