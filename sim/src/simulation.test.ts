import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAULTS, simulate } from './index.ts';

/** A failure prints the seed. `npm run simulate -- --seed N --machines 20 --faults severe` repeats it. */
const SEEDS = 50;
const MACHINES = 20;

test('machines of a calm site are all installed', async () => {
  const report = await simulate({ seed: 1, machines: 20, ...FAULTS.none });
  assert.deepEqual(report.broken, []);
  assert.equal(report.installed, 20);
  assert.equal(report.crashes, 0);
});

test(`${SEEDS * MACHINES} machines are installed through packet loss, crashes of the server and power losses`, async () => {
  let [crashes, powerLosses] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const report = await simulate({ seed, machines: MACHINES, ...FAULTS.severe });
    assert.deepEqual(report.broken, [], `--seed ${seed}`);
    assert.equal(report.installed, MACHINES, `--seed ${seed}`);
    crashes += report.crashes;
    powerLosses += report.powerLosses;
  }
  // Else nothing was tested.
  assert.ok(crashes > SEEDS && powerLosses > SEEDS, `${crashes} crashes, ${powerLosses} power losses`);
});

test('a seed repeats its run exactly', async () => {
  const options = { seed: 7, machines: 10, ...FAULTS.severe };
  assert.deepEqual(await simulate(options), await simulate(options));
});
