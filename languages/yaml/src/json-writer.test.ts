import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeJson } from './json-writer.ts';
import { bulkyValues, counted } from './testing/bulky-values.ts';

const bulky = bulkyValues(fc.constant(undefined), fc.constant(Array.from({ length: 600 }, (_, at) => at)));

test('writes what JSON.stringify writes, in one piece or in many', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), bulky), (value) => {
      assert.equal(counted(writeJson(value)).result, JSON.stringify(value));
    }),
    { numRuns: 300 },
  );
});

test('yields after a few hundred values, wherever they are', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => at);
  const nested = { a: { b: { c: many.map((at) => ({ at })) } } };
  const wide = Object.fromEntries(many.map((at) => [`k${at}`, at]));
  for (const value of [many, nested, wide]) assert.ok(counted(writeJson(value)).pieces > 50);
});
