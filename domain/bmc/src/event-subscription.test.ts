import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventDestinationFor, subscriptionStepFor } from './event-subscription.ts';

const machine = 'lab/m';
const destination = eventDestinationFor('https://192.0.2.1:7443', machine);
const hash = (text: string): string => `hash of ${text}`;
const right = { destination, context: 'credential' };
const foreign = { destination: 'https://192.0.2.50/events', context: 'other' };
const old = { destination: eventDestinationFor('https://192.0.2.7', machine), context: 'credential' };
const state = { machine, destination, sha256: hash('credential') };

const rows: readonly (readonly [
  string,
  Parameters<typeof subscriptionStepFor>[0],
  readonly object[],
  boolean,
])[] = [
  ['nothing is listed', { ...state, listed: [foreign] }, [], true],
  ['the right one stays', { ...state, listed: [foreign, right] }, [], false],
  [
    'a hidden credential counts as right',
    { ...state, listed: [{ destination, context: undefined }] },
    [],
    false,
  ],
  ['an old address is replaced', { ...state, listed: [old] }, [old], true],
  ['a second one is removed', { ...state, listed: [right, { ...right }] }, [{ ...right }], false],
  ['another credential is replaced', { ...state, sha256: hash('x'), listed: [right] }, [right], true],
  ['the annotation is lost', { ...state, sha256: undefined, listed: [right] }, [right], true],
  ['no events are wanted', { ...state, destination: undefined, listed: [foreign, right] }, [right], false],
];

for (const [name, given, removes, creates] of rows) {
  test(name, () => assert.deepEqual(subscriptionStepFor(given, hash), { removes, creates }));
}

test('the Machine whose name ends like another one keeps its own', () => {
  const other = { destination: eventDestinationFor('https://192.0.2.1', 'lab/m2'), context: 'c' };
  const longer = { destination: eventDestinationFor('https://192.0.2.1', 'mylab/m'), context: 'c' };
  assert.deepEqual(subscriptionStepFor({ ...state, listed: [other, longer] }, hash).removes, []);
});
