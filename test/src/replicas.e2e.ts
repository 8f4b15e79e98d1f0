import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runReplicas } from './replicas/replicas-run.ts';

/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];

test('5 kills among three servers: nothing that was acknowledged is lost, every start is recorded, and no workflow is stuck', async () => {
  const report = await runReplicas({ kills: 5, seed });
  const { violations, workflows, starts } = report;
  assert.deepEqual(violations, [], `seed ${seed}; npm run test:replicas -- --kills 5 --seed ${seed}`);
  assert.ok(
    workflows > 10 && starts > 10,
    `too little was done to prove anything: ${JSON.stringify(report)}`,
  );
});
