import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MultiIndex } from './multi-index.ts';

interface Item {
  readonly keys: readonly string[];
}

test('after any changes, each key has exactly the current values with that key', () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 3 });
  const change = fc.record({ place: fc.integer({ min: 0, max: 4 }), keys: fc.option(keys) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const index = new MultiIndex<Item>((item) => item.keys, {
        hasSameKeys: (one, other) => one.keys === other.keys,
      });
      const current = new Map<number, Item>();
      for (const { place, keys: wanted } of changes) {
        // Every other change keeps the same list of keys.
        const kept = wanted?.length === 1 ? current.get(place)?.keys : undefined;
        const after = wanted === null ? undefined : { keys: kept ?? wanted };
        index.replace(current.get(place), after);
        if (after === undefined) current.delete(place);
        else current.set(place, after);
        for (const key of ['a', 'b', 'c', '']) {
          const expected = [...current.values()].filter((item) => key !== '' && item.keys.includes(key));
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
      const index = new MultiIndex<Dated>(({ key }) => [key], { order: (one, other) => one.age - other.age });
      const current = new Map<number, Dated>();
      for (const { age, key } of changes) {
        const after = key === null ? undefined : { key, age };
        index.replace(current.get(age), after);
        if (after === undefined) current.delete(age);
        else current.set(age, after);
      }
      for (const key of ['a', 'b']) {
        const expected = [...current.values()].filter((one) => one.key === key);
        assert.deepEqual(
          index.get(key),
          expected.toSorted((one, other) => one.age - other.age),
        );
      }
    }),
  );
});
