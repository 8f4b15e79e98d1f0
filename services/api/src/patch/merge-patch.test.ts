import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged } from './merge-patch.ts';

function run(target: unknown, patch: unknown) {
  const work = merged(target, patch);
  let pieces = 1;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return { value, pieces };
    pieces += 1;
  }
}

/** The examples of RFC 7386, appendix A, that have an object. */
const examples: readonly (readonly [target: unknown, patch: unknown, result: unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test('merges as the examples of RFC 7386', () => {
  for (const [target, patch, result] of examples) {
    const before = JSON.stringify(target);
    assert.deepEqual(run(target, patch).value, result, JSON.stringify(patch));
    assert.equal(JSON.stringify(target), before);
  }
});

test('treats a field named __proto__ like any other', () => {
  const patch: unknown = JSON.parse('{"a":{"__proto__":{"b":1}}}');
  assert.equal(JSON.stringify(run({}, patch).value), '{"a":{"__proto__":{"b":1}}}');
});

test('a wide object is merged in pieces', () => {
  const wide = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 16_000 }, (_, index) => [`${prefix}${index}`, index]));
  const { value, pieces } = run(wide('a'), wide('b'));
  assert.equal(Object.keys(value as object).length, 32_000);
  assert.ok(pieces > 200, `only ${pieces} pieces`);
});
