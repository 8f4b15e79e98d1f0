import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { shareStrings } from './shared-strings.ts';

const TEXT = JSON.stringify({
  metadata: { name: 'a-rather-long-name', labels: { 'a/b': 'another-long-value' } },
  list: ['another-long-value', 'short', 7, true, null, ['a-rather-long-name']],
});

test('an object stays equal', () => {
  const parsed: unknown = JSON.parse(TEXT);
  shareStrings(parsed);
  assert.equal(JSON.stringify(parsed), TEXT);
});

test('a key that is special in JavaScript stays a key', () => {
  const text = '{"__proto__":"a-rather-long-name","constructor":{"__proto__":{"x":"a-rather-long-name"}}}';
  const parsed: unknown = JSON.parse(text);
  shareStrings(parsed);
  assert.equal(JSON.stringify(parsed), text);
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
});

test('values that do not share a slot share memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const text = JSON.stringify({ value: 'x'.repeat(4000) });
  const before = heap();
  const kept = Array.from({ length: 1000 }, () => {
    const parsed: unknown = JSON.parse(text);
    shareStrings(parsed);
    return parsed;
  });
  assert.ok(heap() - before < 1_000_000);
  assert.equal(kept.length, 1000);
});
