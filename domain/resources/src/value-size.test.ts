import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { drained } from './drained.ts';
import { beyond, isSmall, OBJECT_LIMITS, sizeFault, sizeOf, type Size } from './value-size.ts';

function faultOf(value: unknown, limits: Size): string | undefined {
  return drained(sizeFault(value, limits));
}

const limits = fc.record({
  characters: fc.integer({ min: 1, max: 200 }),
  nodes: fc.integer({ min: 1, max: 30 }),
  depth: fc.integer({ min: 1, max: 5 }),
  keys: fc.integer({ min: 1, max: 4 }),
});

test('a value exceeds a limit when its whole size does, at the first and at every later time', () => {
  fc.assert(
    fc.property(fc.jsonValue(), limits, (value, limit) => {
      const isBeyond =
        beyond(sizeOf(value, { nodes: 1e9, characters: 1e9, depth: 1e9, keys: 1e9 }), limit) !== undefined;
      // With the widest limits first, so that sizes are known where they can be.
      assert.equal(faultOf(value, OBJECT_LIMITS), undefined);
      for (let time = 0; time < 2; time += 1) assert.equal(faultOf(value, limit) !== undefined, isBeyond);
    }),
    { seed: 16 },
  );
});

test('a small value is within every limit', () => {
  const wide = { nodes: 200, keys: 200 };
  const narrow = fc.record({
    characters: fc.integer({ min: 1, max: 2000 }),
    depth: fc.integer({ min: 0, max: 4 }),
  });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), narrow, (value, limit) => {
      const all = { ...wide, ...limit };
      const isFirst = isSmall(value, all);
      if (isFirst) assert.equal(faultOf(value, all), undefined);
      assert.equal(isSmall(value, all), isFirst);
    }),
  );
  assert.ok(isSmall({ spec: { a: ['x'] }, status: {} }, OBJECT_LIMITS));
  const nested: unknown = JSON.parse(`${'['.repeat(112)}${']'.repeat(112)}`);
  for (const value of [Array(200).fill(0), ['x'.repeat(2_000_000)], { ['x'.repeat(2_000_000)]: 1 }, nested])
    assert.equal(isSmall(value, OBJECT_LIMITS), false);
  assert.equal(isSmall(1, { ...OBJECT_LIMITS, keys: 10 }), false);
});

test('a field that was small before counts again beside other fields, and its depth under a lower limit', () => {
  const spec = { list: Array(100).fill('x'), deep: [[[1]]] };
  assert.ok(isSmall({ spec }, OBJECT_LIMITS));
  assert.ok(isSmall({ spec, other: 1 }, OBJECT_LIMITS));
  assert.equal(isSmall({ spec, again: spec }, OBJECT_LIMITS), false);
  assert.equal(isSmall({ spec, status: Array(95).fill(0) }, OBJECT_LIMITS), false);
  assert.equal(isSmall({ spec, text: 'x'.repeat(1_572_000) }, OBJECT_LIMITS), false);
  assert.equal(isSmall({ spec }, { ...OBJECT_LIMITS, depth: 3 }), false);
});

test('an object that repeats one value counts it every time', () => {
  const large = 'x'.repeat(500_000);
  const inner = { large };
  assert.equal(faultOf({ a: inner, b: inner, c: inner }, OBJECT_LIMITS), undefined);
  assert.match(faultOf({ a: inner, b: inner, c: inner, d: inner }, OBJECT_LIMITS) ?? '', /1572864 bytes/);
  const list = Array.from({ length: 40_000 }, () => 0);
  assert.match(faultOf({ a: list, b: list }, OBJECT_LIMITS) ?? '', /more than 60000 values/);
  const wide = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`k${index}`, 1]));
  assert.match(faultOf({ a: [wide] }, OBJECT_LIMITS) ?? '', /more than 5000 fields in one object/);
});
