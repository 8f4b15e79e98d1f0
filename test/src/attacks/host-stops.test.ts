import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredMs, HostStops } from './host-stops.ts';

const PERIOD_MS = 4;

interface Where {
  readonly processor?: number;
  readonly thread?: number;
  readonly timer?: string;
}

function line(
  atMs: number,
  event: string,
  { processor = 0, thread = 42, timer = 'tick_nohz_handler' }: Where = {},
) {
  const cpu = String(processor).padStart(3, '0');
  const head = `  node-MainThread-${thread}   [${cpu}] d.h1. ${(atMs / 1000).toFixed(6)}: ${event}:`;
  return event === 'hrtimer_expire_entry' ? `${head} hrtimer=0000000 function=${timer} now=1` : head;
}

/** A processor that has been busy for so long that the period is known. Its last tick was at 1,000 ms. */
function busy(): HostStops {
  const stops = new HostStops();
  for (let atMs = 1000 - 200 * PERIOD_MS; atMs <= 1000; atMs += PERIOD_MS) {
    // Most interrupts by timers are not ticks.
    for (const otherMs of [atMs - 3, atMs - 2, atMs - 1]) interrupt(stops, otherMs, 'hrtimer_wakeup');
    interrupt(stops, atMs, 'tick_nohz_handler');
  }
  assert.deepEqual(stops.found, []);
  return stops;
}

function interrupt(stops: HostStops, atMs: number, timer: string): void {
  stops.read(line(atMs, 'local_timer_entry'));
  stops.read(line(atMs, 'hrtimer_expire_entry', { timer }));
  stops.read(line(atMs, 'local_timer_exit'));
}

test('a late tick is a stop since it was due', () => {
  const stops = busy();
  interrupt(stops, 1010.5, 'tick_nohz_handler');
  assert.deepEqual(stops.found, [{ fromMs: 1004, toMs: 1010.5, thread: 42 }]);
});

test('an interrupt that takes milliseconds is a stop', () => {
  const stops = busy();
  stops.read(line(1004, 'local_timer_entry'));
  stops.read(line(1008, 'local_timer_exit'));
  assert.deepEqual(stops.found, [{ fromMs: 1004, toMs: 1008, thread: 42 }]);
});

test('a processor that was idle has no stop, nor has another one', () => {
  const stops = busy();
  stops.read(line(1001, 'sched_switch'));
  stops.read(line(1040, 'hrtimer_expire_entry'));
  stops.read(line(1080, 'hrtimer_expire_entry', { processor: 1 }));
  assert.deepEqual(stops.found, []);
});

test('what was lost is not taken for a stop', () => {
  const stops = busy();
  stops.read('CPU:0 [LOST 25 EVENTS]');
  interrupt(stops, 1040, 'tick_nohz_handler');
  assert.deepEqual(stops.found, []);
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
