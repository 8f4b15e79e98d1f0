import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSlots, noSlots } from './row-slots.ts';

const first = nextSlots(noSlots, ['a', 'b', 'c']);

test('each row has an element of its own', () => {
  assert.deepEqual([...first.keys.values()], [0, 1, 2]);
  assert.equal(first.jumps, 0);
});

test('a row that stays keeps its element, and new rows get new ones', () => {
  const next = nextSlots(first, ['x', 'b', 'c', 'd']);
  assert.deepEqual(Object.fromEntries(next.keys), { x: 3, b: 1, c: 2, d: 4 });
  assert.equal(next.jumps, 0);
});

test('rows get the elements of the old rows, in their order, when none stays', () => {
  const next = nextSlots(first, ['m', 'n', 'o', 'p']);
  assert.deepEqual(Object.fromEntries(next.keys), { m: 0, n: 1, o: 2, p: 3 });
  assert.equal(next.jumps, 1);
});

test('no element has two rows, whatever comes', () => {
  let slots = noSlots;
  for (let round = 0; round < 200; round += 1) {
    const start = (round * round * 7) % 90;
    const ids = Array.from({ length: 5 + (round % 13) }, (_, at) => `row-${start + at}`);
    slots = nextSlots(slots, ids);
    assert.deepEqual([...slots.keys.keys()], ids);
    assert.equal(new Set(slots.keys.values()).size, ids.length);
    assert.ok([...slots.keys.values()].every((key) => key < slots.next));
  }
});
