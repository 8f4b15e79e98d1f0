import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortedRows } from './sorted-rows.ts';

const rows = ['node-10', 'node-2', 'node-1'].map((name, at) => ({ name, at }));
const order = { keyOf: ({ name }: { name: string }) => name, before: [], isReverse: false };
const names = (sorted: readonly { readonly name: string }[]) => sorted.map(({ name }) => name);

test('numbers in texts count, and the order can be reversed', () => {
  const byName = { ...order, value: ({ name }: { name: string }) => name };
  assert.deepEqual(names(sortedRows(rows, byName)), ['node-1', 'node-2', 'node-10']);
  assert.deepEqual(names(sortedRows(rows, { ...byName, isReverse: true })), ['node-10', 'node-2', 'node-1']);
  const byPlace = { ...order, value: ({ at }: { at: number }) => -at };
  assert.deepEqual(names(sortedRows(rows, byPlace)), ['node-1', 'node-2', 'node-10']);
});

test('the order of the last time does not change the result, and new rows find their place', () => {
  const byName = { ...order, value: ({ name }: { name: string }) => name };
  for (const before of [['node-1', 'node-2', 'node-10'], ['node-10', 'gone'], ['node-2']])
    assert.deepEqual(names(sortedRows(rows, { ...byName, before })), ['node-1', 'node-2', 'node-10']);
});
