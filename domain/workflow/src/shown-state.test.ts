import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownState } from './shown-state.ts';
import { TestWorkflow } from './testing/two-task-workflow.ts';

test('a workflow that an operator ended is cancelled and not failed, until it is retried', () => {
  const workflow = new TestWorkflow();
  assert.equal(shownState(workflow.status), 'PENDING');
  assert.equal(workflow.operate('pause'), undefined);
  assert.equal(shownState(workflow.status), 'PENDING (paused)');
  assert.equal(workflow.operate('cancel'), undefined);
  assert.deepEqual([workflow.status.state, shownState(workflow.status)], ['FAILED', 'CANCELLED']);
  assert.equal(workflow.operate('retry', { from: 'start' }), undefined);
  assert.equal(shownState(workflow.status), 'PENDING');
  workflow.run('a', 'RUNNING', 'FAILED');
  assert.equal(shownState(workflow.status), 'FAILED');
});

test('a workflow without a status has no state', () => {
  assert.equal(shownState(undefined), '');
});
