import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeJson } from './json-writer.ts';

function written(value: unknown): { readonly text: string; readonly pieces: number } {
  const writing = writeJson(value);
  for (let pieces = 0; ; pieces++) {
    const next = writing.next();
    if (next.done === true) return { text: next.value, pieces };
  }
}

const bulky = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue(),
    fc.constant(undefined),
    fc.constant(Array.from({ length: 600 }, (_, at) => at)),
    fc.string({ unit: 'binary', maxLength: 10 }).map((unit) => unit.repeat(9000)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('writes what JSON.stringify writes, in one piece or in many', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), bulky), (value) => {
      assert.equal(written(value).text, JSON.stringify(value));
    }),
    { numRuns: 300 },
  );
});

test('yields after a few hundred values, wherever they are', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => at);
  const nested = { a: { b: { c: many.map((at) => ({ at })) } } };
  const wide = Object.fromEntries(many.map((at) => [`k${at}`, at]));
  for (const value of [many, nested, wide]) assert.ok(written(value).pieces > 50);
});
