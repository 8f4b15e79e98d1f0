import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Departure } from './departure.ts';

test('tells everyone once, those that come late at once, and none that was forgotten', () => {
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
