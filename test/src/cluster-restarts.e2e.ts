/**
 * Tests our own server as the API server of a cluster, restarted under load. test/src/kube-apiserver.e2e.ts
 * does this with a real one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOwnApiServer } from './cluster/own-api-server.ts';
import { runRestarts } from './cluster/restarts-run.ts';

/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];
/** `npm run e2e -- cluster` runs all 20. */
const restarts = Number(process.env['CLUSTER_RESTARTS'] ?? 7);

test(`${restarts} restarts of our own API under load: nothing is lost or repeated`, async () => {
  await using api = await startOwnApiServer();
  const report = await runRestarts({ api, restarts, seed });
  assert.deepEqual(report.violations, [], `seed ${seed}`);
  assert.ok(report.workflows > restarts && report.starts > restarts, JSON.stringify(report));
  assert.ok(report.watchRestarts >= restarts, JSON.stringify(report));
});
