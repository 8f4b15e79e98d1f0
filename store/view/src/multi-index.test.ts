import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Held } from './held.ts';
import { MultiIndex } from './multi-index.ts';

interface Item {
  readonly keys: readonly string[];
}

test('after any changes, each key has exactly the current values with that key', () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 3 });
  const change = fc.record({ place: fc.integer({ min: 0, max: 4 }), keys: fc.option(keys) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const index = new MultiIndex<Item>((item) => item.keys);
      const current = new Map<number, Held<Item>>();
      for (const { place, keys: wanted } of changes) {
        const held = current.get(place);
        if (held !== undefined && wanted?.length === 1) {
          // Such a change keeps the keys, so the index does not learn of it.
          held.object = { keys: held.object.keys };
        } else {
          const after = wanted === null ? undefined : { object: { keys: wanted } };
          index.replace(held, after);
          if (after === undefined) current.delete(place);
          else current.set(place, after);
        }
        for (const key of ['a', 'b', 'c', '']) {
          const expected = [...current.values()]
            .map(({ object }) => object)
            .filter((item) => key !== '' && item.keys.includes(key));
          const found = index.get(key);
          assert.equal(found.length, expected.length);
          assert.deepEqual(new Set(found), new Set(expected));
        }
      }
    }),
  );
});

test('the values of a key are in order, whatever the order of their changes', () => {
  interface Dated {
    readonly key: string;
    readonly age: number;
  }
  const change = fc.record({
    age: fc.integer({ min: 0, max: 9 }),
    key: fc.option(fc.constantFrom('a', 'b')),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const index = new MultiIndex<Dated>(
        ({ key }) => [key],
        (one, other) => one.age - other.age,
      );
      const current = new Map<number, Held<Dated>>();
      for (const { age, key } of changes) {
        const after = key === null ? undefined : { object: { key, age } };
        index.replace(current.get(age), after);
        if (after === undefined) current.delete(age);
        else current.set(age, after);
      }
      for (const key of ['a', 'b']) {
        const expected = [...current.values()].map(({ object }) => object).filter((one) => one.key === key);
        assert.deepEqual(
          index.get(key),
          expected.toSorted((one, other) => one.age - other.age),
        );
      }
    }),
  );
});
