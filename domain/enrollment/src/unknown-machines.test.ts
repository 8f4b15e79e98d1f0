import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownMachines, type Sighting } from './unknown-machines.ts';

const sighting = (mac: string, change: Partial<Sighting> = {}): Sighting => ({
  mac,
  client: 'PXE firmware',
  architecture: 7,
  vendorClass: 'PXEClient:Arch:00007:UNDI:003016',
  asked: 'discover',
  reason: 'no-hardware',
  message: 'no Hardware has the MAC',
  ...change,
});
const REAL = '08:00:27:9e:f5:3a';
const forged = (index: number): string =>
  `02:00:00:${[16, 8, 0].map((bits) => ((index >> bits) & 255).toString(16).padStart(2, '0')).join(':')}`;

test('records when a machine was seen first and last, how often, and its last request', () => {
  const machines = new UnknownMachines();
  assert.equal(machines.see(sighting(REAL), 1_000), false);
  assert.equal(machines.see(sighting(REAL, { client: 'iPXE 1.21' }), 1_500), false);
  assert.equal(machines.see(sighting(REAL), 5_000), true, 'it settles once');
  assert.equal(machines.see(sighting(REAL, { asked: 'request' }), 9_000), false);
  assert.deepEqual(machines.list(), [
    { ...sighting(REAL, { asked: 'request' }), firstSeenMs: 1_000, lastSeenMs: 9_000, count: 4 },
  ]);
});

test('the last one seen comes first', () => {
  const machines = new UnknownMachines();
  for (const [index, mac] of ['a', 'b', 'c', 'a'].entries()) machines.see(sighting(mac), index * 10_000);
  assert.deepEqual(
    machines.list().map(({ mac }) => mac),
    ['a', 'c', 'b'],
  );
});

test('a flood of invented MACs uses bounded memory, and displaces no machine that has repeated its request', () => {
  const machines = new UnknownMachines();
  machines.see(sighting(REAL), 0);
  machines.see(sighting(REAL), 4_000);
  for (let index = 0; index < 100_000; index += 1) machines.see(sighting(forged(index)), 4_000 + index);
  const listed = machines.list();
  assert.ok(listed.length <= 512);
  assert.ok(listed.some(({ mac }) => mac === REAL));
});

test('forged MACs that repeat requests take free places, and none of a machine that still sends requests', () => {
  const machines = new UnknownMachines();
  let nowMs = 0;
  const ask = (mac: string, at: number) => machines.see(sighting(mac), at);
  ask(REAL, nowMs);
  for (let round = 0; round < 200; round += 1) {
    nowMs += 4_000;
    ask(REAL, nowMs);
    for (let index = 0; index < 1_000; index += 1) ask(forged(index), nowMs);
  }
  assert.ok(machines.list().some(({ mac }) => mac === REAL));
  assert.ok(machines.list().length <= 512);
});

test('a silent machine loses its place', () => {
  const machines = new UnknownMachines();
  for (let index = 0; index < 256; index += 1)
    for (const at of [0, 4_000]) machines.see(sighting(forged(index)), at);
  for (const at of [700_000, 704_000]) machines.see(sighting(REAL), at);
  for (let index = 1_000; index < 2_000; index += 1) machines.see(sighting(forged(index)), 705_000);
  assert.ok(machines.list().some(({ mac }) => mac === REAL));
});

test('texts from a machine are shortened', () => {
  const machines = new UnknownMachines();
  machines.see(sighting(REAL, { vendorClass: 'x'.repeat(10_000) }), 0);
  assert.equal(machines.list()[0]?.vendorClass.length, 128);
});
