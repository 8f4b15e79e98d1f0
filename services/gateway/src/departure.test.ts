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
