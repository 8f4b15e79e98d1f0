import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeat, type Clock } from './index.ts';

/** Runs what is due with each step. */
function steppedClock(): Clock & { step(): number } {
  const due = new Set<() => void>();
  return {
    nowMs: () => 0,
    monotonicMs: () => 0,
    schedule(_delayMs, task) {
      due.add(task);
      return () => due.delete(task);
    },
    step() {
      const tasks = [...due];
      due.clear();
      for (const task of tasks) task();
      return tasks.length;
    },
  };
}

test('repeats after each interval, until the signal aborts', () => {
  const [clock, stop] = [steppedClock(), new AbortController()];
  let calls = 0;
  repeat(clock, { everyMs: 10, signal: stop.signal }, () => void (calls += 1));
  assert.equal(calls, 0);
  for (let time = 1; time <= 3; time += 1) {
    clock.step();
    assert.equal(calls, time);
  }
  stop.abort();
  assert.equal(clock.step(), 0);
});

test('the next interval begins when the call has ended', async () => {
  const [clock, stop] = [steppedClock(), new AbortController()];
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  repeat(clock, { everyMs: 10, signal: stop.signal }, () => {
    calls += 1;
    return promise;
  });
  clock.step();
  assert.equal(clock.step(), 0);
  resolve();
  await new Promise((ready) => setImmediate(ready));
  clock.step();
  assert.equal(calls, 2);
});

test('nothing is repeated after the signal has aborted', () => {
  const clock = steppedClock();
  repeat(clock, { everyMs: 10, signal: AbortSignal.abort() }, () => assert.fail());
  assert.equal(clock.step(), 0);
});
