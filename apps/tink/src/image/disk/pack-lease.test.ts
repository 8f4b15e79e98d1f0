import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDigest, type Digest } from '@tinkerbell/oci';
import { PackLease } from './pack-lease.ts';

const pack = (number: number): Digest => readDigest(`sha256:${String(number).padStart(64, '0')}`);

/** A clock whose only task is run by hand. */
function steppedClock() {
  let task: (() => void) | undefined;
  let delay = 0;
  return {
    nowMs: () => 0,
    monotonicMs: () => 0,
    schedule(delayMs: number, next: () => void) {
      [task, delay] = [next, delayMs];
      return () => (task = undefined);
    },
    isWaiting: () => task !== undefined,
    delayMs: () => delay,
    async step() {
      const due = task;
      task = undefined;
      due?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('every pack is asked for again and again, well within the hour, until the image is stored', async () => {
  const clock = steppedClock();
  const asked: Digest[] = [];
  const lease = new PackLease({ clock, ask: async (one) => asked.push(one) });
  lease.keep(pack(1));
  assert.ok(clock.delayMs() <= 15 * 60 * 1000);
  await clock.step();
  lease.keep(pack(2));
  await clock.step();
  assert.deepEqual(asked, [pack(1), pack(1), pack(2)]);
  await lease[Symbol.asyncDispose]();
  assert.equal(clock.isWaiting(), false);
});

test('a server that is away for a while does not end the lease', async () => {
  const clock = steppedClock();
  let asked = 0;
  await using lease = new PackLease({
    clock,
    ask: async () => {
      asked += 1;
      throw new Error('away');
    },
  });
  lease.keep(pack(1));
  await clock.step();
  await clock.step();
  assert.equal(asked, 2);
});

test('an image that is stored while packs are asked for ends the lease', async () => {
  const clock = steppedClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked: Digest[] = [];
  const lease = new PackLease({
    clock,
    ask: async (one) => {
      asked.push(one);
      await promise;
    },
  });
  lease.keep(pack(1));
  lease.keep(pack(2));
  await clock.step();
  const ended = lease[Symbol.asyncDispose]();
  resolve();
  await ended;
  assert.deepEqual(asked, [pack(1)]);
  assert.equal(clock.isWaiting(), false);
});
