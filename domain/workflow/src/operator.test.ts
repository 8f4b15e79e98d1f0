import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonText } from './index.ts';
import { START_MS, TestWorkflow } from './testing/two-task-workflow.ts';

test('a paused workflow assigns nothing, lets the running action finish, and continues when resumed', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  assert.equal(workflow.operate('pause', { why: 'switch is replaced' }), undefined);
  assert.equal(workflow.operate('pause'), 'already-paused');
  assert.equal(workflow.report('a', 'SUCCESS'), undefined);
  assert.equal(workflow.states(), 'RUNNING: SUCCESS PENDING PENDING');
  assert.equal(workflow.status.paused, true);
  assert.ok(workflow.conditions().includes('Paused True Operator: paused by anna: switch is replaced'));
  assert.equal(workflow.request(), 'paused');
  assert.equal(workflow.operate('resume'), undefined);
  assert.equal(workflow.operate('resume'), 'not-paused');
  assert.equal(workflow.request(), undefined);
  assert.equal(workflow.status.paused, undefined);
  assert.ok(!workflow.conditions().some((one) => one.startsWith('Paused')));
});

test('the time of a pause does not count for the global timeout', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'SUCCESS');
  workflow.operate('pause');
  workflow.nowMs += 3_600_000;
  assert.equal(workflow.try({ kind: 'deadline-passed' }), 'deadline-ahead');
  workflow.operate('resume');
  assert.equal(workflow.status.globalExecutionStop, new Date(START_MS + 4_200_000).toISOString());
});

test('a workflow that ends while it is paused is no longer paused', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  workflow.operate('pause');
  workflow.report('a', 'FAILED');
  assert.equal(workflow.status.paused, undefined);
  assert.equal(workflow.states(), 'FAILED: FAILED PENDING PENDING');
});

test('cancel fails the workflow and its running action, and records who and why', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  workflow.operate('cancel', { why: 'wrong machine' });
  assert.equal(workflow.states(), 'FAILED: FAILED PENDING PENDING');
  assert.equal(workflow.action('a').message, 'cancelled by anna: wrong machine');
  assert.ok(workflow.conditions().includes('Cancelled True Operator: cancelled by anna: wrong machine'));
  assert.deepEqual(workflow.status.operations, [
    { verb: 'cancel', who: 'anna', why: 'wrong machine', time: '2026-01-01T00:00:00Z' },
  ]);
  assert.equal(workflow.report('a', 'SUCCESS'), 'workflow-finished');
  assert.equal(workflow.request(), 'workflow-finished');
});

test('retry from the failed action keeps what succeeded, restarts the clock and continues to count attempts', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'SUCCESS').run('b', 'RUNNING', 'FAILED');
  assert.equal(workflow.operate('retry', { from: 'failed' }), undefined);
  assert.equal(workflow.states(), 'PENDING: SUCCESS PENDING PENDING');
  assert.equal(workflow.status.globalExecutionStop, undefined);
  assert.equal(workflow.status.agentID, 'agent-1');
  assert.equal(workflow.action('b').executionStart, undefined);
  assert.equal(workflow.report('b', 'SUCCESS'), 'attempt-over');
  workflow.nowMs += 60_000;
  workflow.run('b', 'RUNNING');
  assert.equal(workflow.action('b').attempt, 2);
  assert.equal(workflow.status.globalExecutionStop, new Date(workflow.nowMs + 600_000).toISOString());
});

test('retry from an action goes back as far as requested, and never beyond an action that has not succeeded', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'SUCCESS').run('b', 'RUNNING', 'FAILED');
  assert.equal(workflow.operate('retry', { from: { action: 'c' } }), 'earlier-unfinished');
  assert.equal(workflow.operate('retry', { from: { task: 'one', action: 'a' } }), undefined);
  assert.equal(workflow.states(), 'PENDING: PENDING PENDING PENDING');
});

test('retry of a later task returns it to the agent of that task', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'SUCCESS').run('b', 'RUNNING', 'SUCCESS');
  workflow.run('c', 'RUNNING', 'SUCCESS').apply({ kind: 'post-finished' });
  assert.equal(workflow.operate('retry', { from: 'failed' }), 'nothing-failed');
  workflow.operate('retry', { from: { action: 'b' } });
  assert.equal(workflow.status.agentID, 'agent-1');
  workflow.run('b', 'RUNNING', 'SUCCESS');
  assert.equal(workflow.status.agentID, 'agent-2');
});

test('retry from the start prepares the machine again when boot options require it', () => {
  const workflow = new TestWorkflow({}, true);
  workflow.apply({ kind: 'netboot-toggled', allow: true });
  workflow.apply({ kind: 'boot-job-created', job: 'netboot-w', uid: 'u' });
  workflow.apply({ kind: 'preparation-finished' }).run('a', 'RUNNING', 'FAILED');
  workflow.operate('retry', { from: 'start', needsPreparation: true });
  assert.equal(workflow.states(), 'PREPARING: PENDING PENDING PENDING');
  assert.equal(workflow.status.bootOptions, undefined);
  assert.ok(!workflow.conditions().some((one) => one.startsWith('BootJob')));
});

test('retry of a failed boot phase begins that phase again', () => {
  const failure = { message: 'job failed', condition: 'BootJobFailed', status: 'True' } as const;
  const early = new TestWorkflow({}, true).apply({ kind: 'preparation-failed', ...failure });
  early.operate('retry', { from: 'failed', needsPreparation: true });
  assert.equal(early.states(), 'PREPARING: PENDING PENDING PENDING');
  const late = new TestWorkflow().run('a', 'SUCCESS').run('b', 'SUCCESS').run('c', 'SUCCESS');
  late.apply({ kind: 'post-failed', ...failure }).operate('retry', { from: 'failed' });
  assert.equal(late.states(), 'POST: SUCCESS SUCCESS SUCCESS');
});

test('retry from the failed action keeps what was skipped, also when no action was assigned', () => {
  const workflow = new TestWorkflow();
  workflow.operate('skip', { action: 'a', why: 'done by hand' });
  workflow.operate('cancel');
  workflow.operate('retry', { from: 'failed' });
  assert.equal(workflow.states(), 'PENDING: SUCCESS PENDING PENDING');
  const early = new TestWorkflow({}, true);
  early.operate('skip', { action: 'a' });
  early.operate('cancel');
  early.operate('skip', { action: 'b' });
  early.operate('retry', { from: 'failed', needsPreparation: true });
  assert.equal(early.states(), 'PREPARING: SUCCESS SUCCESS PENDING');
  early.apply({ kind: 'preparation-finished' });
  assert.equal(early.status.agentID, 'agent-2');
  const ahead = new TestWorkflow().run('a', 'RUNNING');
  ahead.operate('skip', { action: 'b' });
  ahead.report('a', 'FAILED');
  ahead.operate('retry', { from: 'failed' });
  assert.equal(ahead.states(), 'PENDING: PENDING SUCCESS PENDING');
});

test('retry of a workflow that was cancelled before it was rendered renders it', () => {
  const workflow = new TestWorkflow();
  workflow.status = {};
  workflow.operate('cancel');
  assert.equal(workflow.status.state, 'FAILED');
  workflow.operate('retry', { from: 'start' });
  assert.equal(workflow.status.state, '');
  assert.equal(workflow.status.operations?.length, 2);
});

test('skipping a failed action lets the workflow continue', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'SUCCESS').run('b', 'RUNNING', 'FAILED');
  assert.equal(workflow.operate('skip', { action: 'b', why: 'done by hand' }), undefined);
  assert.equal(workflow.states(), 'PENDING: SUCCESS SUCCESS PENDING');
  assert.equal(workflow.action('b').message, 'skipped by anna: done by hand');
  assert.equal(workflow.status.agentID, 'agent-2');
  workflow.run('c', 'RUNNING', 'SUCCESS');
  assert.equal(workflow.status.state, 'POST');
});

test('a later action that is skipped is not assigned, and a running one cannot be skipped', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  assert.equal(workflow.operate('skip', { action: 'a' }), 'already-started');
  assert.equal(workflow.operate('skip', { action: 'b' }), undefined);
  workflow.report('a', 'SUCCESS');
  assert.equal(workflow.status.agentID, 'agent-2');
  assert.equal(workflow.operate('skip', { action: 'c' }), undefined);
  assert.equal(workflow.status.state, 'POST');
});

test('skipping an interrupted action that asked lets the workflow continue', () => {
  const workflow = new TestWorkflow({ a: { onInterrupted: 'ask' } }).run('a', 'RUNNING');
  workflow.request();
  assert.equal(workflow.status.paused, true);
  workflow.nowMs += 3_600_000;
  assert.equal(workflow.operate('skip', { action: 'a' }), undefined);
  assert.equal(workflow.status.paused, undefined);
  assert.ok(!workflow.conditions().some((one) => one.startsWith('Interrupted')));
  assert.equal(workflow.status.globalExecutionStop, new Date(START_MS + 4_200_000).toISOString());
  assert.equal(workflow.request(), undefined);
});

test('skipping the action before which an operator paused keeps the pause', () => {
  const workflow = new TestWorkflow();
  workflow.operate('pause');
  workflow.operate('skip', { action: 'a' });
  assert.equal(workflow.request(), 'paused');
});

test('skipping an action that a finished workflow never reached changes only that action', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'FAILED');
  workflow.operate('skip', { action: 'c' });
  assert.equal(workflow.states(), 'FAILED: FAILED PENDING SUCCESS');
});

test('a breakpoint stops before its action, and resume passes it once', () => {
  const workflow = new TestWorkflow();
  assert.equal(workflow.operate('breakpoint', { action: 'b', set: true }), undefined);
  assert.equal(workflow.operate('breakpoint', { action: 'b', set: true }), 'nothing-to-change');
  workflow.run('a', 'RUNNING', 'SUCCESS');
  assert.equal(workflow.status.paused, true);
  assert.ok(workflow.conditions().includes('Paused True Breakpoint: stopped before one / b'));
  assert.equal(workflow.request(), 'paused');
  workflow.operate('resume');
  workflow.run('b', 'RUNNING', 'FAILED');
  workflow.operate('retry', { from: 'failed' });
  assert.equal(workflow.request(), 'paused');
});

test('a breakpoint on the next action stops at once', () => {
  const workflow = new TestWorkflow();
  workflow.operate('breakpoint', { action: 'a', set: true });
  assert.equal(workflow.request(), 'paused');
  workflow.operate('resume');
  assert.equal(workflow.request(), undefined);
  assert.equal(workflow.operate('breakpoint', { action: 'a', set: false }), undefined);
});

test('edit changes actions that no agent has', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING');
  assert.equal(workflow.operate('edit', { action: 'a', timeout: 5 }), 'already-started');
  const fields = { image: 'img:2', command: ['c'], environment: { A: '1' }, volumes: ['/a:/b'], timeout: 5 };
  assert.equal(workflow.operate('edit', { action: 'b', ...fields, namespaces: { pid: 'host' } }), undefined);
  const { image, command, environment, volumes, timeout, namespaces } = workflow.action('b');
  assert.deepEqual({ image, command, environment, volumes, timeout }, fields);
  assert.deepEqual(namespaces, { pid: 'host' });
  assert.equal(workflow.operate('edit', { action: 'b', image: 'IMG' }), 'invalid-image');
  assert.equal(workflow.operate('edit', { action: 'b', timeout: -1 }), 'invalid-timeout');
  assert.equal(workflow.operate('edit', { action: 'b' }), 'nothing-to-change');
});

test('edit and breakpoint take back an action that its agent has not started', () => {
  const changes = [
    ['edit', { image: 'img:2' }],
    ['breakpoint', { set: true }],
  ] as const;
  for (const [verb, change] of changes) {
    const workflow = new TestWorkflow();
    workflow.request();
    assert.equal(workflow.operate(verb, { action: 'a', ...change }), undefined);
    assert.equal(workflow.report('a', 'RUNNING'), 'attempt-over');
    if (verb === 'breakpoint') workflow.operate('resume');
    assert.equal(workflow.request(), undefined);
    assert.equal(workflow.action('a').attempt, 2);
    assert.equal(workflow.report('a', 'RUNNING'), undefined);
  }
});

test('a failed action can be edited before its retry', () => {
  const workflow = new TestWorkflow().run('a', 'RUNNING', 'FAILED');
  assert.equal(workflow.operate('edit', { action: 'a', environment: { DISK: '/dev/sdb' } }), undefined);
  workflow.operate('retry', { from: 'failed' });
  assert.deepEqual(workflow.action('a').environment, { DISK: '/dev/sdb' });
});

test('lists the actions, and requires the task when a name is ambiguous', () => {
  const workflow = new TestWorkflow({ c: { name: 'a' } });
  assert.equal(workflow.operate('skip', { action: 'x' }), 'no-such-action');
  assert.match(reasonText('no-such-action', workflow.status), /it has: one \/ a, one \/ b, two \/ a$/);
  assert.equal(workflow.operate('skip', { action: 'a' }), 'ambiguous-action');
  assert.match(reasonText('ambiguous-action', workflow.status), /name the task too/);
  assert.equal(workflow.operate('skip', { task: 'two', action: 'a' }), undefined);
  assert.match(reasonText('not-finished'), /cancel it first, then retry/);
});

test('keeps the last 50 operations, each with a bounded reason', () => {
  const workflow = new TestWorkflow();
  for (let i = 0; i < 60; i++) workflow.operate(i % 2 === 0 ? 'pause' : 'resume', { why: 'y'.repeat(5000) });
  assert.equal(workflow.status.operations?.length, 50);
  assert.equal(workflow.status.operations?.[0]?.why?.length, 1024);
});
