import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from './clock.ts';
import { inSlices } from './in-slices.ts';

/** Runs nothing by itself. */
function heldClock() {
  const due: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    schedule: (_, task) => {
      due.push(task);
      return () => undefined;
    },
  };
  return { clock, due };
}

const numbers = Array.from({ length: 450 }, (_, index) => index);

test('acts on all items in order, with a turn for others between slices', async () => {
  const { clock, due } = heldClock();
  const acted: number[] = [];
  const done = inSlices(numbers, { clock, signal: new AbortController().signal }, (item) => {
    acted.push(item);
  });
  assert.equal(acted.length, 200);
  due.shift()?.();
  await new Promise(setImmediate);
  assert.equal(acted.length, 400);
  due.shift()?.();
  await done;
  assert.deepEqual(acted, numbers);
  assert.equal(due.length, 0);
});

test('ends when the signal aborts', async () => {
  const { clock, due } = heldClock();
  const stopping = new AbortController();
  let acted = 0;
  const done = inSlices(numbers, { clock, signal: stopping.signal }, () => {
    acted += 1;
  });
  stopping.abort();
  due.shift()?.();
  await done;
  assert.equal(acted, 200);
});

test('waits for an item that takes time, and rejects when it fails', async () => {
  const { clock } = heldClock();
  const { signal } = new AbortController();
  const events: string[] = [];
  await inSlices(['a', 'b'], { clock, signal }, async (item) => {
    events.push(`begin ${item}`);
    await Promise.resolve();
    events.push(`end ${item}`);
  });
  assert.deepEqual(events, ['begin a', 'end a', 'begin b', 'end b']);
  await assert.rejects(
    inSlices(['a'], { clock, signal }, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
});
