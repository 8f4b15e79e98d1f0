import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredMs, overlapping, timesOf } from './host-stops.ts';

const THREAD = 42;

type Event = readonly [event: 'in' | 'out' | 'timer' | 'lost', atMs: number];

function trace(...events: readonly Event[]): string[] {
  return events.map(([event, atMs]) => {
    if (event === 'lost') return 'CPU:1 [LOST 12 EVENTS]';
    const place = `  node-MainThread-42   [001] d.h1. ${(atMs / 1000).toFixed(6)}`;
    if (event === 'timer')
      return `${place}: hrtimer_expire_entry: hrtimer=00 function=tick_nohz_handler now=1`;
    const [from, to] = event === 'in' ? [0, THREAD] : [THREAD, 0];
    const left = `prev_comm=a b prev_pid=${from} prev_prio=120 prev_state=S`;
    return `${place}: sched_switch: ${left} ==> next_comm=a b next_pid=${to} next_prio=120`;
  });
}

/** Rounded to what the trace says: microseconds. */
async function stops(...events: readonly Event[]) {
  const found = await timesOf(THREAD, trace(...events));
  const rounded = (ms: number): number => Number(ms.toFixed(3));
  return found.stops.map(({ fromMs, toMs }) => ({ fromMs: rounded(fromMs), toMs: rounded(toMs) }));
}

function timers(fromMs: number, count: number): readonly Event[] {
  return Array.from({ length: count }, (_, index): Event => ['timer', fromMs + index + 0.01]);
}

test('a late timer is a stop since it was due', async () => {
  assert.deepEqual(await stops(['in', 3999.5], ...timers(4000, 50), ['timer', 4054.2], ['out', 4060]), [
    { fromMs: 4050, toMs: 4054.2 },
  ]);
  assert.deepEqual(await stops(['in', 4000.5], ['timer', 4004]), [{ fromMs: 4001, toMs: 4004 }]);
});

test('punctual timers are no stops, however long the thread runs', async () => {
  assert.deepEqual(await stops(['in', 3999.5], ...timers(4000, 200), ['out', 4200]), []);
});

test('a thread is not stopped while it sleeps or waits for a processor', async () => {
  const events: readonly Event[] = [
    ['in', 4000.1],
    ['out', 4000.4],
    ['in', 4020.5],
    ['timer', 4021.1],
  ];
  const { stops: found, absences } = await timesOf(THREAD, trace(...events));
  assert.deepEqual(found, []);
  assert.deepEqual(absences, [{ fromMs: 4000.4, toMs: 4020.5 }]);
});

test('nothing is known of the time in which events are lost', async () => {
  const events: readonly Event[] = [
    ['in', 4000.1],
    ['lost', 0],
    ['timer', 4100],
    ['timer', 4101],
  ];
  assert.deepEqual(await timesOf(THREAD, trace(...events)), { stops: [], absences: [] });
  assert.deepEqual(await stops(...events, ['timer', 4110]), [{ fromMs: 4102, toMs: 4110 }]);
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

test('those that overlap with a stretch are found', () => {
  const all = Array.from({ length: 100 }, (_, index) => ({ fromMs: 10 * index, toMs: 10 * index + 5 }));
  const found = (fromMs: number, toMs: number) => overlapping({ fromMs, toMs }, all).map((one) => one.fromMs);
  assert.deepEqual(found(12, 31), [10, 20, 30]);
  assert.deepEqual(found(15, 30), [20]);
  assert.deepEqual(found(6, 9), []);
  assert.deepEqual(found(994, 2000), [990]);
});
