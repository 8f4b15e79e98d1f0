import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyWindow, sequenceAfter, windowAfter, type SequenceWindow } from './sequence-window.ts';

function receive(window: SequenceWindow, ...sequences: readonly number[]): SequenceWindow {
  return sequences.reduce((current, sequence) => {
    const next = windowAfter(current, sequence);
    assert.ok(typeof next !== 'string', `${sequence} is refused`);
    return next;
  }, window);
}

test('packets in order, with gaps and out of order are accepted once', () => {
  const window = receive(emptyWindow, 1, 2, 5, 4, 3, 20, 19, 6);
  for (const sequence of [1, 2, 3, 4, 5, 6, 19, 20]) {
    if (20 - sequence > 16) continue;
    assert.equal(windowAfter(window, sequence), 'replayed-packet', `${sequence}`);
  }
});

test('the window reaches 15 above and 16 below the highest number', () => {
  const window = receive(emptyWindow, 100);
  const cases: readonly (readonly [number, boolean])[] = [
    [115, true],
    [116, false],
    [84, true],
    [83, false],
    [0, false],
  ];
  for (const [sequence, isAccepted] of cases)
    assert.equal(typeof windowAfter(window, sequence) !== 'string', isAccepted, `${sequence}`);
});

test('numbers wrap, and skip 0', () => {
  assert.equal(sequenceAfter(0xffff_fffe), 0xffff_ffff);
  assert.equal(sequenceAfter(0xffff_ffff), 1);
  const window = receive(emptyWindow, 0xffff_fffe, 0xffff_ffff, 1, 2);
  assert.equal(windowAfter(window, 0xffff_ffff), 'replayed-packet');
});

test('no order of packets makes one accepted twice', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 100 }), (sequences) => {
      const accepted: number[] = [];
      let window = emptyWindow;
      for (const sequence of sequences) {
        const next = windowAfter(window, sequence);
        if (typeof next === 'string') continue;
        accepted.push(sequence);
        window = next;
      }
      assert.equal(new Set(accepted).size, accepted.length);
    }),
  );
});
