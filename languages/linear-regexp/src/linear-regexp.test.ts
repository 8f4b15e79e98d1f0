import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileLinear, type LinearRegexp } from './index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function compiled(source: string, options?: { dotAll: boolean }): LinearRegexp {
  const result = compileLinear(source, options);
  assert.ok(result.ok);
  return result.regexp;
}

test('matches whole texts and parts of texts', () => {
  const re = compiled('a+b?');
  assert.deepEqual(
    [re.isWhole('aab'), re.isWhole('xaab'), re.isWithin('xaab'), re.isWithin('x')],
    [true, false, true, false],
  );
  assert.equal(compiled('a.b').isWhole('a\nb'), false);
  assert.equal(compiled('a.b', { dotAll: true }).isWhole('a\nb'), true);
});

test('an invalid expression is a fault', () => {
  const result = compileLinear('a(b');
  assert.ok(!result.ok);
  assert.match(result.fault, /missing closing \)/);
});

test('a large expression works without a table', () => {
  const re = compiled('[a-z]{1,900}x');
  assert.ok(re.instructions > 200);
  assert.deepEqual([re.isWhole('abcx'), re.isWithin('-abcx-'), re.isWhole('abc')], [true, true, false]);
});

test('hostile expressions together take no more memory than the cache, and still match', () => {
  const texts = Array.from({ length: 12 }, (_, seed) => textOf(seed));
  const hostile = Array.from({ length: 48 }, (_, index) => {
    const last = String.fromCharCode(98 + (index % 24));
    return compiled(`a[ab]{${10 + (index % 5)}}[c-z]{1,${2 + Math.floor(index / 24)}}[^a-${last}]`);
  });
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const re of hostile) for (const text of texts) re.isWithin(text);
  collect();
  const grownMegabytes = (process.memoryUsage().heapUsed - before) / 1e6;
  // Without the limit it is 144 MB.
  assert.ok(grownMegabytes < 40, `${grownMegabytes} MB`);
  assert.ok(hostile[0]?.isWithin(`a${'b'.repeat(10)}cz~`));
});

/** A text of `a` and `b` from a linear congruential generator. */
function textOf(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 3000 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state > 2 ** 30 ? 'a' : 'b';
  }).join('');
}
