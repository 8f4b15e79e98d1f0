import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestHeads } from './request-head.ts';

const REQUEST = [':method', 'POST', ':path', '/a', ':authority', 'b', 'c', 'd'];

test('requests share the head of an equal list, once a connection has had some', () => {
  const heads = new RequestHeads();
  const first = heads.of(REQUEST);
  assert.notEqual(heads.of(REQUEST), first, 'a connection with few requests keeps nothing');
  for (let index = 0; index < 10; index += 1) heads.of([...REQUEST]);
  const kept = heads.of(REQUEST);
  assert.ok(!kept.isRepeated);
  assert.equal(heads.of(REQUEST), kept);
  assert.ok(kept.isRepeated);
  for (let index = 0; index < 2; index += 1) heads.of([...REQUEST]);
  assert.notEqual(heads.of(REQUEST), kept, 'only the last ones are kept');
});

test('long header fields are not kept', () => {
  const heads = new RequestHeads();
  const long = [...REQUEST, 'e', 'f'.repeat(3000)];
  for (let index = 0; index < 20; index += 1) assert.ok(!heads.of(long).isRepeated);
});
