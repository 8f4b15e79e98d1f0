import assert from 'node:assert/strict';
import { test } from 'node:test';
import { membersOf } from './log-members.ts';

test('each field is a member, in order', () => {
  const fields = { route: 'a "b"\n', bytes: 1.5, isGrpc: true, nothing: null, list: [1, { a: 'b' }] };
  assert.deepEqual(JSON.parse(`{"level":30${membersOf(fields)}}`), { level: 30, ...fields });
  assert.equal(membersOf({ b: 1, 'a"': 2 }), String.raw`,"b":1,"a\"":2`);
  assert.equal(membersOf({}), '');
});

test('leaves out functions and undefined values', () => {
  assert.equal(membersOf({ a: undefined, b: () => 1, c: 2, d: Symbol('d') }), ',"c":2');
});

test('a value that JSON cannot express does not throw', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const bad = {
    toJSON(): never {
      throw new Error('no');
    },
  };
  const line = membersOf({ a: Number.NaN, b: 2n ** 60n, cycle, bad, text: '\uD800' });
  assert.equal(
    line,
    String.raw`,"a":null,"b":1152921504606846976,"cycle":"[not JSON]","bad":"[not JSON]","text":"\ud800"`,
  );
});
