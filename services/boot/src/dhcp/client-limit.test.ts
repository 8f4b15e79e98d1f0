import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientLimit } from './client-limit.ts';

function limitAt() {
  const time = { now: 1000 };
  return { time, mayAsk: createClientLimit({ monotonicMs: () => time.now }) };
}

function packetOf(index: number): Uint8Array {
  const packet = new Uint8Array(240);
  new DataView(packet.buffer).setUint32(30, index);
  packet[28] = 2;
  return packet;
}

test('a client may send twenty requests at once, then ten per second', () => {
  const { time, mayAsk } = limitAt();
  const answered = (count: number) =>
    Array.from({ length: count }, () => mayAsk(packetOf(1))).filter(Boolean);
  assert.equal(answered(100).length, 20);
  time.now += 1000;
  assert.equal(answered(100).length, 10);
  time.now += 60_000;
  assert.equal(answered(100).length, 20, 'a longer pause does not raise the burst');
});

test('a client that sends too often does not slow the others', () => {
  const { mayAsk } = limitAt();
  for (let count = 0; count < 1000; count++) mayAsk(packetOf(1));
  assert.equal(mayAsk(packetOf(1)), false);
  assert.equal(mayAsk(packetOf(2)), true);
});

test('the machines of a rack rarely share a slot', () => {
  const { mayAsk } = limitAt();
  const machines = Array.from({ length: 1000 }, (_, index) => packetOf(index));
  for (let count = 0; count < 20; count++) machines.forEach((packet) => mayAsk(packet));
  const limited = machines.filter((packet) => !mayAsk(packet));
  assert.ok(limited.length > 900, `${limited.length} of 1000`);
});

test('a flood of forged MACs blocks nobody, and packets without a MAC are accepted', () => {
  const { mayAsk } = limitAt();
  for (let index = 0; index < 200_000; index++) assert.equal(mayAsk(packetOf(index)), true);
  assert.equal(mayAsk(new Uint8Array(0)), true);
});
