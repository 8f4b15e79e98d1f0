import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defineAction, type ActionContext } from './action.ts';

/** A limit that only ends tests that hang. */
const HANGS = { timeout: 120_000 };
const log: ActionContext['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

function contextOf(signal: AbortSignal): ActionContext {
  const clock = { nowMs: () => 0, monotonicMs: () => 0, schedule: () => () => undefined };
  return { log, clock, signal, command: [], progress() {} };
}

test('an action that waits for ever ends when it is stopped', HANGS, async () => {
  const stop = new AbortController();
  const action = defineAction('waits', () => new Promise(() => setImmediate(() => stop.abort())));
  assert.deepEqual(await action.run({}, contextOf(stop.signal)), {
    ok: false,
    error: 'stopped at the timeout, while it waited for a disk or a program',
  });
});

test('an action that is stopped before it begins ends as well', HANGS, async () => {
  const action = defineAction('waits', () => new Promise(() => undefined));
  assert.equal((await action.run({}, contextOf(AbortSignal.abort()))).ok, false);
});

test('a stopped action that ends by itself reports its own reason, and its own bugs', HANGS, async () => {
  const stop = new AbortController();
  const failing = (error: Error) =>
    defineAction('fails', async () => {
      stop.abort();
      throw error;
    }).run({}, contextOf(stop.signal));
  await assert.rejects(failing(new Error('a bug')), /a bug/);
});
