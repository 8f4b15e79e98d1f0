import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldBytes } from './index.ts';

test('a chunk that several readers wait for counts once, until the last of them has read it', () => {
  const held = new HeldBytes(1000);
  const chunk = new Uint8Array(600);
  const [one, two] = [held.reader(assert.fail), held.reader(assert.fail)];
  one.hold(chunk);
  two.hold(chunk);
  assert.deepEqual([held.bytes(), one.bytes(), two.bytes()], [600, 600, 600]);
  one.release(chunk);
  one.release(chunk);
  assert.equal(held.bytes(), 600);
  two.end();
  assert.equal(held.bytes(), 0);
});

test('above the limit the readers that have been stuck longest are cut off, and no more than needed', () => {
  const held = new HeldBytes(1000);
  const cut: string[] = [];
  const [slow, idle, fast] = ['slow', 'idle', 'fast'].map((name) => held.reader(() => void cut.push(name)));
  const first = new Uint8Array(300);
  fast!.hold(first);
  slow!.hold(new Uint8Array(400));
  fast!.hold(new Uint8Array(300));
  fast!.release(first);
  assert.deepEqual(cut, []);
  fast!.hold(new Uint8Array(600));
  assert.deepEqual(cut, ['slow']);
  assert.equal(held.bytes(), 900);
  slow!.hold(new Uint8Array(900));
  assert.equal(held.bytes(), 900, 'nothing is held for a reader that was cut off');
  assert.equal(held.cuts(), 1);
  idle!.end();
});

test('a reader that requests more than the limit is cut off itself, and everything is released', () => {
  const held = new HeldBytes(1000);
  let cuts = 0;
  const reader = held.reader(() => void (cuts += 1));
  reader.hold(new Uint8Array(1001));
  assert.deepEqual([cuts, held.bytes(), reader.bytes()], [1, 0, 0]);
});

test('bytes that another component holds count for their reader until it has taken them', () => {
  const held = new HeldBytes(1000);
  let cuts = 0;
  const [one, two] = [held.reader(() => void (cuts += 1)), held.reader(assert.fail)];
  one.holdSize(600);
  two.holdSize(400);
  one.releaseSize(600);
  assert.deepEqual([held.bytes(), one.bytes(), two.bytes()], [400, 0, 400]);
  one.holdSize(500);
  one.end();
  one.releaseSize(500);
  assert.deepEqual([cuts, held.bytes(), one.bytes()], [0, 400, 0]);
});
