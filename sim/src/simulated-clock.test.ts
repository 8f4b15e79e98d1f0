import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedClock } from './simulated-clock.ts';

test('tasks run in the order of their times, and of their scheduling at one time', () => {
  const [clock, random] = [new SimulatedClock(), new SeededRandom(3)];
  const ran: number[] = [];
  const delays = Array.from({ length: 500 }, () => Math.floor(random.between(0, 50)));
  const cancels = delays.map((delay, index) => clock.schedule(delay, () => void ran.push(index)));
  for (const [index, cancel] of cancels.entries()) if (index % 7 === 0) cancel();
  const startMs = clock.nowMs();
  while (clock.runNext());
  const expected = delays
    .map((delay, index) => ({ delay, index }))
    .filter(({ index }) => index % 7 !== 0)
    .toSorted((one, other) => one.delay - other.delay || one.index - other.index);
  assert.deepEqual(
    ran,
    expected.map(({ index }) => index),
  );
  assert.equal(clock.nowMs() - startMs, Math.max(...expected.map(({ delay }) => delay)));
});
