import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import type { Store } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createLeadership } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const random: Random = { bytes: (count) => new Uint8Array(count), fraction: () => 0 };
const key = { collection: 'leases.coordination.k8s.io', namespace: 'default', name: 'controller' };

/** The clock of one machine. It may stand still while other clocks advance. */
function machineClock() {
  let nowMs = 0;
  let tasks: { readonly atMs: number; readonly task: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, task) {
      const one = { atMs: nowMs + delayMs, task };
      tasks.push(one);
      return () => void (tasks = tasks.filter((other) => other !== one));
    },
  };
  const run = async (): Promise<void> => {
    const due = tasks.filter(({ atMs }) => atMs <= nowMs);
    tasks = tasks.filter(({ atMs }) => atMs > nowMs);
    for (const { task } of due) task();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, pass: (ms: number) => void (nowMs += ms), run };
}

function candidate(store: Store, identity: string) {
  const machine = machineClock();
  const stop = new AbortController();
  const events: string[] = [];
  const leadership = createLeadership({
    store,
    clock: machine.clock,
    random,
    log,
    identity,
    name: 'controller',
    started: async () => void events.push('started'),
    stopped: async () => void events.push('stopped'),
  });
  leadership.start(stop.signal);
  return { ...machine, leadership, events, stop: () => stop.abort() };
}

type Candidate = ReturnType<typeof candidate>;

async function passTime(seconds: number, running: readonly Candidate[], paused: readonly Candidate[] = []) {
  for (let tenth = 0; tenth < seconds * 10; tenth++) {
    for (const one of [...running, ...paused]) one.pass(100);
    for (const one of running) await one.run();
    const leaders = [...running, ...paused].filter(({ leadership }) => leadership.isLeading());
    assert.ok(leaders.length <= 1, 'two servers lead at once');
  }
}

const leaders = (all: readonly Candidate[]) => all.map(({ leadership }) => leadership.isLeading());

test('one server leads, and when it is gone another leads within 7 seconds', async () => {
  const store = createMemoryStore();
  const [a, b, c] = [candidate(store, 'a'), candidate(store, 'b'), candidate(store, 'c')];
  await passTime(20, [a, b, c]);
  assert.deepEqual(leaders([a, b, c]), [true, false, false]);
  assert.deepEqual(a.events, ['started']);
  await passTime(7, [b, c]);
  assert.equal(leaders([b, c]).filter(Boolean).length, 1);
  const spec = (await store.get(key))?.object.spec as { readonly leaseTransitions: number } | undefined;
  assert.equal(spec?.leaseTransitions, 1);
});

test('a server that was paused no longer leads before another may, and knows this when it continues', async () => {
  const store = createMemoryStore();
  const [a, b] = [candidate(store, 'a'), candidate(store, 'b')];
  await passTime(3, [a, b]);
  await passTime(4, [b], [a]);
  assert.deepEqual(leaders([a, b]), [false, false]);
  await passTime(4, [b], [a]);
  assert.deepEqual(leaders([a, b]), [false, true]);
  await a.run();
  assert.deepEqual(a.events, ['started', 'stopped']);
  await passTime(5, [a, b]);
  assert.deepEqual(leaders([a, b]), [false, true]);
});

test('a server that stops releases the Lease after its work has ended, and the next one need not wait', async () => {
  const store = createMemoryStore();
  const [a, b] = [candidate(store, 'a'), candidate(store, 'b')];
  await passTime(3, [a, b]);
  a.stop();
  await a.leadership.ended();
  assert.deepEqual(a.events, ['started', 'stopped']);
  await passTime(2, [b]);
  assert.deepEqual(leaders([b]), [true]);
});

test('a server whose store accepts no more writes stops by itself', async () => {
  const store = createMemoryStore();
  let isAway = false;
  const away = { ok: false, reason: 'unavailable', key, message: 'away' } as const;
  const failing: Store = Object.assign(Object.create(store) as Store, {
    commit: (writes: never) => (isAway ? Promise.resolve(away) : store.commit(writes)),
    get: () => store.get(key),
  });
  const a = candidate(failing, 'a');
  await passTime(3, [a]);
  assert.deepEqual(leaders([a]), [true]);
  isAway = true;
  await passTime(5, [a]);
  assert.deepEqual(a.events, ['started', 'stopped']);
  isAway = false;
  await passTime(2, [a]);
  assert.deepEqual(a.events, ['started', 'stopped', 'started']);
});
