import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnsweredPacket } from './messages.ts';
import { WaitingPackets } from './waiting-packets.ts';

const packets: readonly AnsweredPacket[] = [1, 2, 3, 4].map((byte) => ({
  bytes: Uint8Array.of(byte),
  reply: new Uint8Array(),
  droppedOptions: [],
}));

test('packets beyond the time of a turn wait for the next one, and at the end none is left', () => {
  let nowMs = 0;
  const [done, tasks]: [number[], (() => void)[]] = [[], []];
  const counts: number[] = [];
  const clock = {
    monotonicMs: () => nowMs,
    schedule: (_: number, task: () => void) => (tasks.push(task), () => undefined),
  };
  const waiting = new WaitingPackets(clock, {
    process: ({ bytes }) => {
      nowMs += 2;
      done.push(bytes[0] ?? 0);
    },
    processed: (count) => void counts.push(count),
  });
  waiting.add(packets.slice(0, 3));
  assert.deepEqual(done, [1]);
  tasks.shift()?.();
  waiting.add(packets.slice(3));
  assert.deepEqual(done, [1, 2]);

  waiting.processAll();
  assert.deepEqual(done, [1, 2, 3, 4]);
  for (const task of tasks.splice(0)) task();
  assert.deepEqual([done, counts.reduce((sum, count) => sum + count)], [[1, 2, 3, 4], 4]);
});
