import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from './recent-map.ts';

const keysFrom = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ index }));

test('knows the latest objects, and forgets those that nobody asks for', () => {
  const map = new RecentMap<object, number>(10);
  const keys = keysFrom(100);
  const [first = {}] = keys;
  for (const [index, key] of keys.entries()) {
    map.set(key, index);
    assert.equal(map.get(first), 0, 'an object in use stays known');
    for (const recent of keys.slice(Math.max(0, index - 4), index))
      assert.notEqual(map.get(recent), undefined);
  }
  assert.equal(map.get({}), undefined);
  const known = keys.filter((key) => map.get(key) !== undefined);
  assert.ok(known.length >= 10 && known.length < 30, `${known.length} are known`);
});

test('a new value replaces an older one', () => {
  const map = new RecentMap<object, number>(4);
  const keys = keysFrom(4);
  const [key = {}, ...others] = keys;
  map.set(key, 1);
  for (const other of others) map.set(other, 0);
  map.set(key, 2);
  for (const other of others) map.set(other, 0);
  assert.equal(map.get(key), 2);
});
