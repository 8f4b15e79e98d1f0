import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { WorkQueue } from './work-queue.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

function deps(set = new MetricSet()) {
  const metrics = {
    reconciled: set.counter('reconcile_total', 'done'),
    reconcileErrors: set.counter('reconcile_errors_total', 'failed'),
    waiting: set.gauge('waiting', 'waiting'),
  };
  return { clock: nodeClock, log, metrics, kind: 'workflow' };
}

test('runs a key one at a time, and again if it was added meanwhile', async () => {
  const events: string[] = [];
  const queue: WorkQueue = new WorkQueue(deps(), async (key) => {
    events.push(`begin ${key}`);
    if (events.length === 1) {
      queue.add('a');
      queue.add('a');
    }
    await new Promise(setImmediate);
    events.push(`end ${key}`);
    return undefined;
  });
  queue.add('a');
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  await queue.close();
  assert.deepEqual(events, ['begin a', 'end a', 'begin a', 'end a']);
});

test('retries after a failure', async () => {
  const set = new MetricSet();
  let tries = 0;
  const { promise: succeeded, resolve } = Promise.withResolvers<void>();
  const queue = new WorkQueue(deps(set), () => {
    tries += 1;
    if (tries === 1) return Promise.reject(new Error('once'));
    resolve();
    return Promise.resolve(undefined);
  });
  queue.add('a');
  await succeeded;
  await queue.close();
  assert.equal(samplesOf(set)['reconcile_errors_total'], 1);
});

test('accepts no work after it was closed', async () => {
  let done = 0;
  const queue = new WorkQueue(deps(), () => Promise.resolve(void (done += 1)));
  await queue.close();
  queue.add('a');
  assert.equal(done, 0);
});

test('runs eight keys at once, and due keys in addition', async () => {
  const set = new MetricSet();
  const working = new Set<string>();
  const { promise: release, resolve } = Promise.withResolvers<void>();
  let mostAtOnce = 0;
  const { promise: dueBegan, resolve: markDue } = Promise.withResolvers<void>();
  let isDue = false;
  const queue = new WorkQueue(deps(set), async (key) => {
    if (key === 'due') {
      if (isDue) markDue();
      isDue = true;
      return { atMs: nodeClock.nowMs() + 5 };
    }
    working.add(key);
    mostAtOnce = Math.max(mostAtOnce, working.size);
    await release;
    working.delete(key);
    return undefined;
  });
  queue.add('due');
  await new Promise(setImmediate);
  for (let i = 0; i < 20; i++) queue.add(`slow-${i}`);
  await dueBegan;
  assert.equal(mostAtOnce, 8);
  assert.equal(samplesOf(set)['waiting'], 12);
  resolve();
  while (working.size > 0 || samplesOf(set)['waiting'] !== 0) await new Promise(setImmediate);
  assert.equal(mostAtOnce, 8);
  await queue.close();
});

test('background work delays no other key, and is limited per namespace', async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const ended: string[] = [];
  const queue = new WorkQueue(deps(), async (key, place) => {
    begun.push(key);
    if (key.startsWith('slow/')) await place.aside(() => release);
    ended.push(key);
    return undefined;
  });
  for (let i = 0; i < 200; i += 1) queue.add(`slow/${i}`);
  for (let i = 0; i < 20; i += 1) queue.add(`quick/${i}`);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  assert.equal(ended.filter((key) => key.startsWith('quick/')).length, 20);
  const slow = begun.filter((key) => key.startsWith('slow/')).length;
  assert.ok(slow >= 64 && slow < 64 + 8, `${slow} wait aside`);
  resolve();
  while (ended.length < 220) await new Promise(setImmediate);
  await queue.close();
});

test('namespaces take turns', async () => {
  const begun: string[] = [];
  const queue = new WorkQueue(deps(), async (key) => {
    begun.push(key);
    await new Promise(setImmediate);
    return undefined;
  });
  for (let i = 0; i < 100; i += 1) queue.add(`many/${i}`);
  queue.add('few/1');
  queue.add('few/2');
  while (begun.length < 102) await new Promise(setImmediate);
  assert.ok(begun.indexOf('few/2') <= 12, `few/2 was number ${begun.indexOf('few/2')}`);
  await queue.close();
});

test('closes without waiting for slow work', async () => {
  const set = new MetricSet();
  const queue = new WorkQueue(deps(set), (_, place) =>
    place.aside(() => new Promise<undefined>(() => undefined)),
  );
  queue.add('slow/1');
  await new Promise(setImmediate);
  await queue.close();
  assert.equal(samplesOf(set)['reconcile_errors_total'], 0);
});

/** A clock whose timers end only by `end`. */
function heldTimers() {
  let nowMs = 1000;
  let aheadMs = 0;
  const timers: { readonly atMs: number; readonly task: () => void; isCancelled: boolean }[] = [];
  const clock: Clock = {
    nowMs: () => nowMs + aheadMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, task) {
      const timer = { atMs: nowMs + delayMs, task, isCancelled: false };
      timers.push(timer);
      return () => void (timer.isCancelled = true);
    },
  };
  const end = async (at: number): Promise<void> => {
    nowMs = timers[at]?.atMs ?? nowMs;
    timers[at]?.task();
    await new Promise(setImmediate);
  };
  const setAhead = (ms: number): void => void (aheadMs = ms);
  return { clock, timers, end, setAhead };
}

/** Counts how often its work runs. */
function countingQueue(clock: Clock) {
  const count = { runs: 0 };
  const queue = new WorkQueue({ ...deps(), clock }, () => {
    count.runs += 1;
    return Promise.resolve(undefined);
  });
  return { queue, count };
}

test('an expected time replaces the one before, and runs the work only then', async () => {
  const { clock, timers, end } = heldTimers();
  const { queue, count } = countingQueue(clock);
  queue.expect('a', { atMs: 1500 });
  queue.expect('a', { atMs: 1300 });
  assert.equal(timers[0]?.isCancelled, true);
  await end(1);
  assert.equal(count.runs, 1);
  queue.expect('a', { atMs: 1900 });
  queue.expect('a', undefined);
  assert.equal(timers[2]?.isCancelled, true);
  await queue.close();
});

test('a deadline that moves on takes no other timer until the first one ends', async () => {
  const { clock, timers, end } = heldTimers();
  const { queue, count } = countingQueue(clock);
  for (const atMs of [1500, 1600, 1800, 1700]) queue.expect('a', { atMs });
  assert.equal(timers.length, 1);
  await end(0);
  assert.equal(count.runs, 0);
  assert.deepEqual(timers[1]?.atMs, 1700);
  await end(1);
  assert.equal(count.runs, 1);
  await queue.close();
});

test('a clock that is set forward brings a deadline nearer', async () => {
  const { clock, timers, setAhead } = heldTimers();
  const { queue } = countingQueue(clock);
  queue.expect('a', { atMs: 1500 });
  setAhead(400);
  queue.expect('a', { atMs: 1500 });
  assert.equal(timers[0]?.isCancelled, true);
  assert.equal(timers[1]?.atMs, 1100);
  await queue.close();
});

test('work that waits or runs decides by itself what an expectation would', async () => {
  let runs = 0;
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const queue = new WorkQueue({ ...deps(), atOnce: 1 }, async () => {
    runs += 1;
    if (runs === 1) await release;
    return undefined;
  });
  queue.add('running');
  queue.add('waiting');
  await new Promise(setImmediate);
  queue.expect('running', undefined);
  queue.expect('waiting', { atMs: nodeClock.nowMs() + 60_000 });
  resolve();
  await new Promise(setImmediate);
  assert.equal(runs, 3);
  await queue.close();
});
