import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { WorkQueue } from './work-queue.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

test('works on a key one at a time, and once more when it was added meanwhile', async () => {
  const events: string[] = [];
  const queue: WorkQueue = new WorkQueue(nodeClock, log, async (key) => {
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

test('tries again after a failure', async () => {
  let tries = 0;
  const { promise: succeeded, resolve } = Promise.withResolvers<void>();
  const queue = new WorkQueue(nodeClock, log, () => {
    tries += 1;
    if (tries === 1) return Promise.reject(new Error('once'));
    resolve();
    return Promise.resolve(undefined);
  });
  queue.add('a');
  await succeeded;
  await queue.close();
  assert.equal(queue.counters()['controller_reconcile_errors_total'], 1);
});

test('takes nothing after it was closed', async () => {
  let done = 0;
  const queue = new WorkQueue(nodeClock, log, () => Promise.resolve(void (done += 1)));
  await queue.close();
  queue.add('a');
  assert.equal(done, 0);
});

test('works on eight keys at once, and on those whose time has come besides', async () => {
  const working = new Set<string>();
  const { promise: release, resolve } = Promise.withResolvers<void>();
  let mostAtOnce = 0;
  const { promise: dueBegan, resolve: markDue } = Promise.withResolvers<void>();
  let isDue = false;
  const queue = new WorkQueue(nodeClock, log, async (key) => {
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
  assert.equal(queue.counters()['controller_waiting'], 12);
  resolve();
  while (working.size > 0 || queue.counters()['controller_waiting'] !== 0) await new Promise(setImmediate);
  assert.equal(mostAtOnce, 8);
  await queue.close();
});
