import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SenderLimit } from './sender-limit.ts';

const LIMITS = { messagesPerSecond: 10, burst: 5, sendersMax: 2, reportAfterMs: 1_000 };

/** Time moves only by `advance`, which runs what is due. */
function limitWithClock() {
  let now = 0;
  let tasks: { at: number; task: () => void }[] = [];
  const clock = {
    monotonicMs: () => now,
    schedule(delayMs: number, task: () => void) {
      const entry = { at: now + delayMs, task };
      tasks.push(entry);
      return () => void (tasks = tasks.filter((one) => one !== entry));
    },
  };
  const reports: [string | undefined, number][] = [];
  const limit = new SenderLimit(clock, LIMITS, (...report) => reports.push(report));
  const send = (sender: string, count: number) =>
    Array.from({ length: count }, () => limit.takes(sender)).filter(Boolean).length;
  const advance = (ms: number) => {
    now += ms;
    const due = tasks.filter(({ at }) => at <= now);
    tasks = tasks.filter(({ at }) => at > now);
    for (const { task } of due) task();
  };
  return { limit, reports, send, advance };
}

test('a sender may send a burst, then its rate, and no other sender is affected', () => {
  const { send, advance } = limitWithClock();
  assert.equal(send('a', 8), 5);
  assert.equal(send('b', 3), 3);
  advance(300);
  assert.equal(send('a', 8), 3);
  advance(60_000);
  assert.equal(send('a', 8), 5, 'a bucket holds no more than a burst');
});

test('drops are reported once per period, and only if there were any', () => {
  const { send, advance, reports } = limitWithClock();
  send('a', 7);
  advance(500);
  send('a', 8);
  assert.deepEqual(reports, []);
  advance(500);
  assert.deepEqual(reports, [['a', 5]]);
  send('a', 2);
  advance(5_000);
  assert.deepEqual(reports, [['a', 5]]);
});

test('senders beyond the table share one count until others have been quiet', () => {
  const { send, advance, reports } = limitWithClock();
  send('a', 1);
  send('b', 1);
  assert.deepEqual([send('c', 4), send('d', 4)], [4, 1]);
  advance(1_000);
  assert.deepEqual(reports, [[undefined, 3]]);
  assert.deepEqual([send('c', 6), send('d', 6)], [5, 5], 'a and b have lost their slots');
});

test('the rest is reported at the end', () => {
  const { limit, send, advance, reports } = limitWithClock();
  send('a', 6);
  limit.stop();
  assert.deepEqual(reports, [['a', 1]]);
  advance(60_000);
  assert.equal(reports.length, 1);
});
