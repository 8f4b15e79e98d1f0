import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow } from '@tinkerbell/resources';
import { effectsFor, handedOutOf } from './index.ts';
import { definition, TestWorkflow } from './testing/two-task-workflow.ts';

function effects(workflow: TestWorkflow) {
  return effectsFor({ metadata: { name: 'w' }, status: workflow.status } as Workflow, workflow.nowMs);
}

test('a running action without a report counts as lost 30 s after its timeout, by the server clock', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  assert.deepEqual(effects(workflow), [{ kind: 'wake', atMs: workflow.nowMs + 90_000 }]);
  workflow.nowMs += 89_999;
  assert.equal(workflow.try({ kind: 'deadline-passed' }), 'deadline-ahead');
  workflow.nowMs += 1;
  assert.deepEqual(effects(workflow)[0], { kind: 'expire' });
  workflow.apply({ kind: 'deadline-passed' });
  assert.equal(workflow.states(), 'TIMEOUT: TIMEOUT PENDING PENDING');
  assert.match(
    workflow.action('a').message ?? '',
    /agent did not report within the action's timeout of 60 s and 30 s more/,
  );
});

test('an action that ended while the server was stopped is not lost before its agent could report', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  workflow.nowMs += 600_000 - 1;
  const startedMs = workflow.nowMs - 29_999;
  const object = { metadata: { name: 'w' }, status: workflow.status } as Workflow;
  assert.deepEqual(effectsFor(object, workflow.nowMs, startedMs), [
    { kind: 'wake', atMs: workflow.nowMs + 1 },
  ]);
  assert.deepEqual(effectsFor(object, workflow.nowMs, startedMs - 1)[0], { kind: 'expire' });
});

test('an action without a timeout has no deadline, and a finished one has none either', () => {
  const workflow = new TestWorkflow({ a: { timeoutSeconds: 0 } }).run('a', 'RUNNING');
  assert.equal(workflow.action('a').deadline, undefined);
  const other = new TestWorkflow().run('a', 'RUNNING', 'SUCCESS');
  assert.equal(other.action('a').deadline, undefined);
});

test('the global timeout also ends the running action, with the reason', () => {
  const workflow = new TestWorkflow({ a: { timeoutSeconds: 0 } }).run('a', 'RUNNING');
  workflow.nowMs += 600_000;
  workflow.apply({ kind: 'deadline-passed' });
  assert.equal(workflow.states(), 'TIMEOUT: TIMEOUT PENDING PENDING');
  assert.equal(workflow.action('a').message, "the workflow's global timeout of 600 s has passed");
});

test('a failed action is retried after growing delays, then fails', () => {
  const workflow = new TestWorkflow({ a: { retries: 2 } }).run('a', 'RUNNING');
  assert.equal(workflow.report('a', 'FAILED', 'no route'), undefined);
  assert.equal(workflow.states(), 'RUNNING: PENDING PENDING PENDING');
  assert.equal(workflow.action('a').message, 'attempt 1 ended in FAILED: no route; retried after 5 s');
  assert.equal(workflow.request(), 'backing-off');
  assert.equal(workflow.report('a', 'FAILED', 'no route'), 'attempt-over');
  assert.equal(workflow.try({ kind: 'backoff-passed' }), 'deadline-ahead');
  workflow.nowMs += 5000;
  assert.deepEqual(effects(workflow)[0], { kind: 'end-backoff' });
  workflow.apply({ kind: 'backoff-passed' }).run('a', 'RUNNING', 'TIMEOUT');
  assert.equal(workflow.action('a').notBefore, new Date(workflow.nowMs + 10_000).toISOString());
  workflow.nowMs += 10_000;
  workflow.run('a', 'RUNNING', 'FAILED');
  assert.equal(workflow.states(), 'FAILED: FAILED PENDING PENDING');
  assert.equal(workflow.action('a').attempt, 3);
});

test('the delay is at most 5 minutes', () => {
  const workflow = new TestWorkflow({ a: { retries: 40, backoffSeconds: 60 } });
  for (let i = 0; i < 39; i++) {
    workflow.run('a', 'RUNNING', 'FAILED');
    const delayMs = Date.parse(workflow.action('a').notBefore ?? '') - workflow.nowMs;
    assert.equal(delayMs, Math.min(300_000, 60_000 * 2 ** i));
    workflow.status = { ...workflow.status, globalExecutionStop: '2099-01-01T00:00:00Z' };
    workflow.nowMs += delayMs;
  }
});

test('a lost action with retries waits for its agent', () => {
  const workflow = new TestWorkflow({ a: { retries: 1 } }).run('a', 'RUNNING');
  workflow.nowMs += 90_000;
  workflow.apply({ kind: 'deadline-passed' });
  assert.equal(workflow.states(), 'RUNNING: PENDING PENDING PENDING');
});

test('an interrupted action is served again by default, with a new deadline', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  workflow.nowMs += 50_000;
  assert.equal(workflow.request(), undefined);
  assert.equal(workflow.action('a').attempt, 2);
  assert.equal(workflow.action('a').deadline, new Date(workflow.nowMs + 90_000).toISOString());
  assert.equal(handedOutOf(workflow.status)?.action.name, 'a');
});

test('onInterrupted: fail fails the workflow', () => {
  const workflow = new TestWorkflow({ a: { onInterrupted: 'fail' } }).run('a', 'RUNNING');
  assert.equal(workflow.request(), undefined);
  assert.equal(workflow.states(), 'FAILED: FAILED PENDING PENDING');
  assert.equal(handedOutOf(workflow.status), undefined);
});

test('onInterrupted: ask pauses, and resume runs the action again', () => {
  const workflow = new TestWorkflow({ a: { onInterrupted: 'ask' } }).run('a', 'RUNNING');
  assert.equal(workflow.request(), undefined);
  assert.equal(handedOutOf(workflow.status), undefined);
  assert.equal(workflow.status.paused, true);
  assert.match(workflow.conditions().join('\n'), /Interrupted True AgentRestarted: one \/ a was interrupted/);
  assert.equal(workflow.report('a', 'SUCCESS'), 'attempt-over');
  workflow.operate('resume');
  assert.doesNotMatch(workflow.conditions().join('\n'), /Interrupted/);
  workflow.run('a', 'RUNNING', 'SUCCESS');
  assert.equal(workflow.action('a').attempt, 2);
});

test('an interrupted action that asks can be skipped', () => {
  const workflow = new TestWorkflow({ a: { onInterrupted: 'ask' } }).run('a', 'RUNNING');
  workflow.request();
  assert.equal(workflow.operate('skip', { action: 'a' }), undefined);
  assert.equal(workflow.states(), 'RUNNING: SUCCESS PENDING PENDING');
  workflow.run('b', 'RUNNING');
});

test('an action whose if is false is skipped, also by a retry', () => {
  for (const condition of ['', 'false', '0', 'no', ' False ']) {
    const workflow = new TestWorkflow({ a: { if: condition }, b: { if: 'true' } });
    assert.equal(workflow.states(), 'PENDING: SUCCESS PENDING PENDING');
    assert.equal(workflow.action('a').message, 'skipped: if is false');
    workflow.run('b', 'RUNNING', 'FAILED').operate('retry', { from: 'start' });
    assert.equal(workflow.states(), 'PENDING: SUCCESS PENDING PENDING');
  }
});

test('begins with the first task that has an action to run, and ends when there is none', () => {
  assert.equal(new TestWorkflow({ a: { if: 'no' }, b: { if: 'no' } }).status.agentID, 'agent-2');
  const idle = new TestWorkflow({ a: { if: 'no' }, b: { if: 'no' }, c: { if: 'no' } });
  assert.equal(idle.status.state, 'POST');
  assert.equal(idle.apply({ kind: 'post-finished' }).status.state, 'SUCCESS');
});

const withCleanup = { a: { onFailure: [definition('logs'), definition('led')] } };

test('on-failure actions run after the final failure, by the same agent, before the workflow fails', () => {
  const workflow = new TestWorkflow(withCleanup).run('a', 'RUNNING', 'TIMEOUT');
  assert.equal(workflow.states(), 'RUNNING: TIMEOUT PENDING PENDING');
  workflow.run('logs', 'RUNNING', 'SUCCESS').run('led', 'RUNNING');
  assert.equal(workflow.status.state, 'RUNNING');
  assert.equal(workflow.operate('skip', { action: 'a' }), 'already-started');
  workflow.report('led', 'SUCCESS');
  assert.equal(workflow.states(), 'TIMEOUT: TIMEOUT PENDING PENDING');
  assert.equal(workflow.status.currentState?.actionName, 'a');
  workflow.operate('retry', { from: 'failed' });
  assert.equal(workflow.action('logs').state, 'PENDING');
});

test('an on-failure action that fails ends the workflow as its action did', () => {
  const workflow = new TestWorkflow(withCleanup)
    .run('a', 'RUNNING', 'FAILED')
    .run('logs', 'RUNNING', 'TIMEOUT');
  assert.equal(workflow.states(), 'FAILED: FAILED PENDING PENDING');
  assert.equal(workflow.action('led').state, 'PENDING');
});

test('on-failure actions are not awaited when the agent is lost', () => {
  const workflow = new TestWorkflow(withCleanup).run('a', 'RUNNING');
  workflow.nowMs += 90_000;
  workflow.apply({ kind: 'deadline-passed' });
  assert.equal(workflow.states(), 'TIMEOUT: TIMEOUT PENDING PENDING');
});

test('a report about an older attempt changes nothing', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  workflow.request();
  const { task, action } = workflow.place('a');
  const report = { agentId: task.agentID, taskId: task.id, actionId: action.id, state: 'FAILED' } as const;
  assert.equal(workflow.try({ kind: 'action-reported', report: { ...report, attempt: 1 } }), 'attempt-over');
  assert.equal(workflow.try({ kind: 'action-reported', report: { ...report, attempt: 2 } }), undefined);
});

test('a workflow belongs to the Hardware that existed when its last action was assigned', () => {
  const workflow = new TestWorkflow();
  const ask = (hardwareUid?: string) =>
    workflow.apply({
      kind: 'action-requested',
      agentId: 'agent-1',
      ...(hardwareUid === undefined ? {} : { hardwareUid }),
    });
  ask();
  assert.equal(workflow.status.hardwareUID, undefined);
  ask('uid-1');
  assert.equal(workflow.status.hardwareUID, 'uid-1');
  ask('uid-2');
  assert.equal(workflow.status.hardwareUID, 'uid-2');
  ask();
  assert.equal(workflow.status.hardwareUID, 'uid-2');
});
