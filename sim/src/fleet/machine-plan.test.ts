import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipv4 } from '@tinkerbell/wire';
import { CRASH_PHASES, machinePlan } from './machine-plan.ts';

const site = { relayAddress: ipv4('198.18.0.254'), crashes: 0.5 };
const plansOf = (seed: number) =>
  Array.from({ length: 1000 }, (_, index) => machinePlan(index, { ...site, seed }));

test('the same seed gives the same machines, and another seed others', () => {
  assert.deepEqual(plansOf(1), plansOf(1));
  assert.notDeepEqual(
    plansOf(1).map(({ crash }) => crash),
    plansOf(2).map(({ crash }) => crash),
  );
});

test('each machine has its own name, MAC and address', () => {
  const plans = plansOf(1);
  for (const field of ['name', 'mac', 'address'] as const)
    assert.equal(new Set(plans.map((plan) => plan[field])).size, plans.length, field);
  assert.deepEqual(
    [plans[0]?.address, plans[1]?.address, plans[2]?.address],
    ['198.18.0.255', '198.18.1.0', '198.18.1.1'],
  );
  assert.match(plans[999]?.mac ?? '', /^02:00:01:00:03:e7$/);
});

test('about as many machines crash as asked for, in every phase', () => {
  const crashes = plansOf(3).flatMap(({ crash }) => crash ?? []);
  assert.ok(crashes.length > 400 && crashes.length < 600, String(crashes.length));
  assert.deepEqual(new Set(crashes.map(({ phase }) => phase)), new Set(CRASH_PHASES));
  assert.equal(
    plansOf(3).filter((_, index) => machinePlan(index, { ...site, seed: 3, crashes: 0 }).crash).length,
    0,
  );
});
