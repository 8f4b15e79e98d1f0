import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { inQuietTimes } from './quiet-times.ts';

test('counts the periods since a busy one', () => {
  assert.deepEqual(countsIn([0.01, 0.1, 0.5, 0.09, 0]), [1, 2, 1, 2]);
});

test('counts anew when a load has ended that left the thread little to do', () => {
  assert.deepEqual(countsIn([0.07, 0.07, 0.04, 0.003, 0.001, 0]), [1, 2, 3, 1, 2, 3]);
});

test('does not count anew after each heartbeat of many agents', () => {
  assert.deepEqual(countsIn([0.08, 0.003, 0.08, 0.003]), [1, 2, 3, 4]);
});

function countsIn(utilizations: readonly number[]): readonly number[] {
  let at = -1;
  mock.timers.enable({ apis: ['setInterval'] });
  mock.method(performance, 'eventLoopUtilization', (_now?: unknown, before?: unknown) => {
    if (before !== undefined) at += 1;
    return { idle: 0, active: 0, utilization: before === undefined ? 0 : utilizations[at] };
  });
  const counted: number[] = [];
  inQuietTimes((periods) => counted.push(periods));
  mock.timers.tick(10_000 * utilizations.length);
  mock.restoreAll();
  mock.timers.reset();
  return counted;
}
