import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Departure } from './departure.ts';

test('calls every listener once, late ones at once, and no removed one', () => {
  const told: string[] = [];
  const departure = new Departure();
  const forgotten = (): void => void told.push('forgotten');
  departure.onHappened(() => told.push('early'));
  departure.onHappened(forgotten);
  departure.forget(forgotten);
  assert.equal(departure.hasHappened, false);
  departure.happen();
  departure.happen();
  departure.onHappened(() => told.push('late'));
  assert.deepEqual(told, ['early', 'late']);
  assert.equal(departure.hasHappened, true);
});

test('hundreds of listeners are called over several turns of the event loop', async () => {
  const departures = Array.from({ length: 300 }, () => new Departure());
  const called: Departure[] = [];
  for (const departure of departures)
    departure.onHappened(() => {
      called.push(departure);
      const untilMs = performance.now() + 0.05;
      while (performance.now() < untilMs);
    });
  for (const departure of departures) departure.happen();
  assert.ok(departures.every(({ hasHappened }) => hasHappened));
  assert.ok(called.length < departures.length, `${called.length} in the first callback`);
  while (called.length < departures.length) await new Promise((resolve) => setImmediate(resolve));
});
