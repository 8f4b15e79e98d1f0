import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { inQuietTimes } from './quiet-times.ts';

test('counts the periods since a busy one', () => {
  const utilizations = [0.01, 0.1, 0.5, 0.09, 0];
  let at = -1;
  mock.timers.enable({ apis: ['setInterval'] });
  mock.method(performance, 'eventLoopUtilization', (_now?: unknown, before?: unknown) => {
    if (before !== undefined) at += 1;
    return { idle: 0, active: 0, utilization: before === undefined ? 0 : utilizations[at] };
  });
  const counted: number[] = [];
  inQuietTimes((periods) => counted.push(periods));
  mock.timers.tick(10_000 * utilizations.length);
  assert.deepEqual(counted, [1, 2, 1, 2]);
  mock.restoreAll();
  mock.timers.reset();
});
