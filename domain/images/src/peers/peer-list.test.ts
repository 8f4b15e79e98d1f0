import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDigest } from '@tinkerbell/oci';
import { PeerList, SendBudget } from '../index.ts';
import { beginPlace } from './begin-place.ts';

const digest = (number: number) => readDigest(`sha256:${String(number).padStart(64, '0')}`);

function start() {
  let secrets = 0;
  const list = new PeerList({ secret: () => `secret ${(secrets += 1)}`, random: () => 0 });
  return (address: string, { image = 1, port = 2000, nowMs = 0, isLoopback = false } = {}) =>
    list.ask(
      { image: digest(image), port, have: [[0, 2]], receivedBytes: 0 },
      { address, isLoopback, nowMs },
    );
}

test('agents begin at the start, the middle, the quarters, and where one has left', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(beginPlace), [0, 0.5, 0.25, 0.75, 0.125, 0.625]);
  const ask = start();
  assert.equal(ask('a')?.place, 0);
  assert.equal(ask('b')?.place, 0.5);
  assert.equal(ask('b', { nowMs: 4000 })?.place, 0.5);
  assert.equal(ask('c', { nowMs: 6000 })?.place, 0, 'a has been silent for five seconds');
});

test('an agent learns the others of its image, their secret, and never itself', () => {
  const ask = start();
  ask('a');
  ask('x', { image: 2 });
  const answer = ask('b');
  assert.deepEqual(answer?.peers, [{ address: 'a', port: 2000, have: [[0, 2]] }]);
  assert.equal(answer?.secret, 'secret 1');
  assert.equal(ask('a', { nowMs: 20_000 })?.secret, 'secret 3', 'new when nobody was left');
});

test('an agent beside the server is not named to other machines', () => {
  const ask = start();
  ask('127.0.0.1', { isLoopback: true });
  assert.deepEqual(ask('a')?.peers, []);
  assert.equal(ask('127.0.0.1', { isLoopback: true, port: 2001 })?.peers.length, 1);
});

test('one address has 16 entries, an image 256, and there are 64 images; known agents stay', () => {
  const ask = start();
  for (let port = 2000; port < 2016; port += 1) assert.ok(ask('a', { port, image: port % 3 }));
  assert.equal(ask('a', { port: 3000, image: 9 }), undefined);
  assert.ok(ask('a', { port: 2000, image: 2000 % 3 }));
  for (let number = 0; number < 256; number += 1) assert.ok(ask(`i${number}`, { image: 20 }));
  assert.equal(ask('one more', { image: 20 }), undefined);
  for (let image = 100; image < 160; image += 1) assert.ok(ask(`j${image}`, { image }));
  assert.equal(ask('k', { image: 200 }), undefined);
  assert.ok(ask('k', { image: 200, nowMs: 10_000 }), 'entries end by themselves');
  assert.equal(ask('b', { nowMs: 10_000, image: 20 })?.peers.length, 0);
});

test('an answer names 16 others', () => {
  const ask = start();
  for (let number = 0; number < 40; number += 1) ask(`n${number}`);
  assert.equal(ask('n0')?.peers.length, 16);
});

test('an agent sends as fast as it receives, and at least 10 MB/s', () => {
  const budget = new SendBudget();
  assert.equal(budget.waitMs(1_000_000, 0), 0);
  assert.equal(budget.waitMs(1_000_000, 0), 100);
  assert.equal(budget.waitMs(1, 5000), 0, 'what was not used is not saved up');
  const fast = new SendBudget();
  fast.received(0, 0);
  fast.received(80_000_000, 1);
  fast.received(0, 2000);
  fast.waitMs(1_000_000, 2000);
  assert.equal(fast.waitMs(1, 2000), 25);
});
