import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { FinishedAction } from './kept-files.ts';
import { createSpool } from './spool.ts';

const directory = mkdtempSync(join(tmpdir(), 'spool-test-'));
after(() => rmSync(directory, { recursive: true }));

const finished: FinishedAction = {
  workflowId: 'default/w',
  agentId: 'a',
  taskId: 't',
  actionId: 'one',
  actionName: 'one',
  attempt: 1,
  state: 'SUCCESS',
  startedMs: 1,
  endedMs: 2,
  message: '',
};

test('a report exists until it is cleared', async () => {
  const spool = createSpool(directory);
  await spool.store(finished);
  assert.deepEqual(await createSpool(directory).pending(), finished);
  await spool.clear();
  assert.equal(await spool.pending(), undefined);
});

test('a damaged report is ignored, and does not end the agent at every start', async () => {
  const spool = createSpool(directory);
  await spool.store(finished);
  truncateSync(join(directory, 'report.json'), 20);
  assert.equal(await spool.pending(), undefined);
  assert.equal(await spool.pending(), undefined);
});
