import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startIn, type Point } from './history.ts';

const pointAt = (atMs: number): Point => ({
  atMs,
  residentBytes: 1,
  processorShare: 0,
  busyShare: 0,
  requestRate: 0,
  dhcpRate: 0,
  reportRate: 0,
});

test('a history that is shorter than an hour begins with the start of the server', () => {
  const points = Array.from({ length: 360 }, (_, at) => pointAt(at * 10_000));
  assert.equal(startIn({ everySeconds: 10, points: points.slice(0, 359) }), 0);
  assert.equal(startIn({ everySeconds: 10, points }), undefined);
  assert.equal(startIn({ everySeconds: 10, points: [] }), undefined);
});
