import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { MetricHistory, pointBetween, totalOf, type Point, type Totals } from './metric-history.ts';

const start: Totals = {
  atMs: 1_000,
  residentBytes: 0,
  processorSeconds: 0,
  busySeconds: 0,
  requests: 0,
  dhcpMessages: 0,
  agentReports: 0,
};

test('a point has the memory of its time, and the means since the point before', () => {
  const now = {
    atMs: 11_000,
    residentBytes: 123_456_789,
    processorSeconds: 2.5,
    busySeconds: 1,
    requests: 1,
    dhcpMessages: 100,
    agentReports: 3,
  };
  assert.deepEqual(pointBetween(start, now), {
    atMs: 11_000,
    residentBytes: 123_456_789,
    processorShare: 0.25,
    busyShare: 0.1,
    requestRate: 0.1,
    dhcpRate: 10,
    reportRate: 0.3,
  });
});

test('rates have four digits, and a clock that was set back makes none that are negative or endless', () => {
  assert.equal(pointBetween(start, { ...start, atMs: 4_000, requests: 10 }).requestRate, 3.333);
  const earlier = pointBetween({ ...start, requests: 5 }, { ...start, atMs: 0, requests: 4 });
  assert.equal(earlier.requestRate, 0);
});

test('the history is bounded, and the oldest point goes first', async () => {
  const history = new MetricHistory(start);
  for (let at = 1; at <= 400; at += 1) history.take({ ...start, atMs: at * 10_000, requests: at * 20 });
  const response = history.answer();
  const { everySeconds, points } = (await response.json()) as { everySeconds: number; points: Point[] };
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.deepEqual([everySeconds, points.length, points[0]?.atMs], [10, 360, 410_000]);
  assert.deepEqual([points.at(-1)?.atMs, points.at(-1)?.requestRate], [4_000_000, 2]);
});

test('a total is the sum over labels and services', () => {
  const [one, other] = [new MetricSet(), new MetricSet()];
  const counter = one.counter('dhcp_total', 'x', ['type']);
  counter.add({ type: 'offer' }, 2);
  counter.add({ type: 'ack' }, 3);
  other.counter('dhcp_total', 'x').add({}, 4);
  other.counter('else_total', 'x').add({}, 9);
  assert.equal(totalOf([one, other], 'dhcp_total'), 9);
  assert.equal(totalOf([], 'dhcp_total'), 0);
});
