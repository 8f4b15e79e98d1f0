import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverLoad } from './server-load.ts';
import type { MonitorLine, Work } from './server-monitor.ts';

const STOPS = [{ fromMs: 1004, toMs: 1011 }];
const CONDITIONS = { times: { stops: STOPS, absences: [] }, firstAt: 5, callbackMaxMs: 5 };

function work(usedMs: number, fromMs: number, collections: Work['collections'] = []): Work {
  const collectedMs = collections.reduce((sum, one) => sum + one.toMs - one.fromMs, 0);
  return { type: 'Immediate', usedMs, fromMs, toMs: fromMs + usedMs + collectedMs, collections };
}

function second(...callbacks: Work[]): MonitorLine {
  return { turns: callbacks, callbacks, collectionMs: 1, residentMegabytes: 200 };
}

test('the second longest callback counts where the host made the longest one long', () => {
  const lines = [second(work(1, 0)), second(work(12, 1000), work(6, 1100))];
  const { callbacks, longCallbacks, stoppedCallbacks } = serverLoad(lines, CONDITIONS);
  assert.deepEqual(callbacks[0], { type: 'Immediate', workedMs: 6, stoppedMs: 0, at: 6 });
  assert.deepEqual([longCallbacks, stoppedCallbacks], [1, 0]);
});

test('a callback that is long only by a stop is not over the limit', () => {
  const load = serverLoad([second(work(12, 1000))], CONDITIONS);
  assert.deepEqual([load.longCallbacks, load.stoppedCallbacks, load.turn.workedMs], [0, 1, 5]);
});

test('a stop within a garbage collection is not subtracted twice', () => {
  const lines = [second(work(6, 1000, [{ fromMs: 1003, toMs: 1012 }]))];
  assert.equal(serverLoad(lines, CONDITIONS).longCallbacks, 1);
});

test('a stop is subtracted also where the thread waited for a processor', () => {
  const lines = [second({ ...work(12, 1000), toMs: 1022 })];
  const times = { stops: STOPS, absences: [{ fromMs: 1012, toMs: 1022 }] };
  assert.equal(serverLoad(lines, { ...CONDITIONS, times }).longCallbacks, 0);
});

test('a stop that the kernel knows as stolen time is not subtracted again', () => {
  const lines = [second({ ...work(6, 1000), toMs: 1013 })];
  assert.equal(serverLoad(lines, CONDITIONS).longCallbacks, 1);
});
