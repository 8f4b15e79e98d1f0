import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndpointHealth } from './endpoint-health.ts';

test('an endpoint changes its state after as many checks in a row as the thresholds require', () => {
  const health = new EndpointHealth({ healthyAfter: 3, unhealthyAfter: 2 });
  const changes = [false, true, false, false, true, true, false, true, true, true].map((one) =>
    health.checked(one),
  );
  assert.deepEqual(
    changes.flatMap((hasChanged, index) => (hasChanged ? [index] : [])),
    [3, 9],
  );
});

test('avoids an endpoint longer after each failure, until it answers', () => {
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
