import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredMs, stopsIn, ticksIn } from './host-stops.ts';

function trace(...atMs: readonly number[]): string[] {
  return atMs.map(
    (at) =>
      `  node-MainThread-42   [001] d.h1. ${(at / 1000).toFixed(6)}: hrtimer_expire_entry: hrtimer=00 function=tick_nohz_handler now=1`,
  );
}

const REGULAR = Array.from({ length: 50 }, (_, index) => 4000 + 4 * index + 0.012);

test('the period is that of a kernel', async () => {
  assert.equal((await ticksIn(trace(...REGULAR, 5000))).periodMs, 4);
});

test('a late tick is a stop since it was due', async () => {
  const ticks = await ticksIn(trace(...REGULAR, 5000.01, 5012.5));
  assert.deepEqual(stopsIn({ fromMs: 4999, toMs: 5013 }, ticks), [{ fromMs: 5004, toMs: 5012.5 }]);
  assert.deepEqual(stopsIn({ fromMs: 5009, toMs: 5013 }, ticks), [], 'it was due shortly before');
});

test('punctual ticks are no stops, however long the work takes', async () => {
  assert.deepEqual(stopsIn({ fromMs: 4001, toMs: 4100 }, await ticksIn(trace(...REGULAR))), []);
});

test('timers of each millisecond show shorter stops', async () => {
  const every = Array.from({ length: 50 }, (_, index) => 4000 + index + 0.01);
  const ticks = await ticksIn(trace(...every, 4054.2));
  assert.equal(ticks.periodMs, 1);
  assert.deepEqual(stopsIn({ fromMs: 4040, toMs: 4055 }, ticks), [{ fromMs: 4050, toMs: 4054.2 }]);
});

test('only the common part of stretches is counted, and only once', () => {
  const others = [
    { fromMs: 4, toMs: 7 },
    { fromMs: 0, toMs: 2 },
    { fromMs: 5, toMs: 6 },
    { fromMs: 9, toMs: 20 },
  ];
  assert.equal(coveredMs({ fromMs: 1, toMs: 10 }, others), 1 + 3 + 1);
});
