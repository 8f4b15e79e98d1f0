import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCrashes } from './crash/crash-run.ts';

/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];

test('60 crashes: nothing that was acknowledged is lost, every start is recorded, and no workflow is stuck', async () => {
  const report = await runCrashes({ cycles: 60, seed });
  const { violations, workflows, starts } = report;
  assert.deepEqual(violations, [], `seed ${seed}; npm run test:crash -- --cycles 60 --seed ${seed}`);
  assert.ok(
    workflows > 65 && starts > 200,
    `too little was done to prove anything: ${JSON.stringify(report)}`,
  );
});
