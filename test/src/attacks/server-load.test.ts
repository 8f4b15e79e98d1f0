import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverLoad } from './server-load.ts';
import type { MonitorLine, Work } from './server-monitor.ts';

const CONDITIONS = { stops: [], firstAt: 5, callbackMaxMs: 5 };

function work(usedMs: number, fromMs: number, collections: Work['collections'] = []): Work {
  return { type: 'Immediate', usedMs, fromMs, toMs: fromMs + usedMs, collections };
}

function second(...callbacks: Work[]): MonitorLine {
  return { turns: callbacks, callbacks, collectionMs: 1, residentMegabytes: 200 };
}

test('the second longest callback counts where the host made the longest one long', () => {
  const lines = [second(work(1, 0)), second(work(12, 1000), work(6, 1100))];
  const stops = [{ fromMs: 1002, toMs: 1011, thread: 1 }];
  const { callbacks, longCallbacks, stoppedCallbacks } = serverLoad(lines, { ...CONDITIONS, stops });
  assert.deepEqual(callbacks[0], { type: 'Immediate', workedMs: 6, stoppedMs: 0, at: 6 });
  assert.deepEqual([longCallbacks, stoppedCallbacks], [1, 0]);
});

test('a callback that is long only by a stop is not over the limit', () => {
  const stops = [{ fromMs: 1002, toMs: 1011, thread: 1 }];
  const load = serverLoad([second(work(12, 1000))], { ...CONDITIONS, stops });
  assert.deepEqual([load.longCallbacks, load.stoppedCallbacks, load.turn.workedMs], [0, 1, 3]);
});

test('a stop within a garbage collection is not subtracted twice', () => {
  const stops = [{ fromMs: 1003, toMs: 1005, thread: 1 }];
  const lines = [second(work(6, 1000, [{ fromMs: 1002, toMs: 1006 }]))];
  assert.equal(serverLoad(lines, { ...CONDITIONS, stops }).longCallbacks, 1);
});
