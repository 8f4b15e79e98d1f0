import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow } from '@tinkerbell/resources';
import { chooseWorkflow, effectsFor, ulid } from './index.ts';

function workflowOf(
  name: string,
  state: string,
  actionStates: string[] = ['PENDING'],
  agentID = 'agent',
): Workflow {
  const actions = actionStates.map((one, index) => ({
    id: `${name}-${index}`,
    name: `a${index}`,
    state: one,
  }));
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default' },
    status: { state, agentID: 'agent', tasks: [{ id: `${name}-t`, name: 't', agentID, actions }] },
  };
}

function chosen(workflows: readonly Workflow[]): string {
  const choice = chooseWorkflow(workflows, 'agent');
  return 'workflow' in choice
    ? choice.workflow.metadata.name
    : `${choice.nothing.code}: ${choice.nothing.message}`;
}

test('prefers the running workflow, then the oldest pending one', () => {
  assert.equal(chosen([workflowOf('a', 'PENDING'), workflowOf('b', 'RUNNING')]), 'b');
  assert.equal(chosen([workflowOf('a', 'PENDING'), workflowOf('b', 'PENDING')]), 'a');
});

test('a paused workflow that has begun keeps its machine, and one that has not lets others go first', () => {
  const paused = (name: string, state: string): Workflow => {
    const workflow = workflowOf(name, state);
    return { ...workflow, status: { ...workflow.status, paused: true } };
  };
  assert.equal(chosen([paused('a', 'PENDING'), workflowOf('b', 'PENDING')]), 'b');
  assert.equal(
    chosen([paused('a', 'RUNNING'), workflowOf('b', 'PENDING')]),
    'failed-precondition: Workflow is paused',
  );
  assert.equal(chosen([paused('a', 'PENDING')]), 'failed-precondition: Workflow is paused');
});

test('a finished workflow does not hide a pending one', () => {
  assert.equal(chosen([workflowOf('done', 'SUCCESS', ['SUCCESS']), workflowOf('next', 'PENDING')]), 'next');
});

test("answers with upstream's codes and messages when there is no action", () => {
  assert.equal(chosen([]), 'not-found: no Workflows found');
  assert.equal(
    chosen([{ ...workflowOf('a', ''), status: { agentID: 'agent' } }]),
    'not-found: no Tasks found in Workflow',
  );
  assert.equal(chosen([workflowOf('a', 'PREPARING')]), 'failed-precondition: Workflow is in preparing state');
  assert.equal(
    chosen([workflowOf('a', 'FAILED')]),
    'failed-precondition: Workflow not in pending or running state',
  );
  assert.equal(
    chosen([workflowOf('a', 'RUNNING', ['PENDING'], 'other')]),
    'not-found: Task not assigned to Agent',
  );
});

test('effects are derived from the current objects, and only from them', () => {
  const kindsOf = (workflow: Workflow, nowMs = 0) => effectsFor(workflow, nowMs).map((effect) => effect.kind);
  assert.deepEqual(kindsOf({ ...workflowOf('a', ''), status: {} }), ['render']);
  assert.deepEqual(kindsOf({ ...workflowOf('a', ''), status: {}, spec: { disabled: true } }), ['name-agent']);
  assert.deepEqual(
    kindsOf({ ...workflowOf('a', 'PREPARING'), spec: { bootOptions: { toggleAllowNetboot: true } } }),
    ['toggle-netboot'],
  );
  assert.deepEqual(
    kindsOf({ ...workflowOf('a', 'PREPARING'), spec: { bootOptions: { bootMode: 'netboot' } } }),
    ['clear-boot-job'],
  );
  assert.deepEqual(kindsOf(workflowOf('a', 'POST')), ['finish-post']);
  const running = workflowOf('a', 'RUNNING');
  const withStop: Workflow = {
    ...running,
    status: { ...running.status, globalExecutionStop: '1970-01-01T00:00:10Z' },
  };
  assert.deepEqual(kindsOf(withStop, 9_999), ['wake']);
  assert.deepEqual(kindsOf(withStop, 10_000), ['expire']);
  assert.deepEqual(kindsOf(running), []);
});

test('ULIDs sort by time and have 26 characters', () => {
  const random = new Uint8Array(16).fill(255);
  assert.equal(ulid(0, random), '0000000000ZZZZZZZZZZZZZZZZ');
  assert.equal(ulid(1_469_918_176_385, random).slice(0, 10), '01ARYZ6S41');
  assert.ok(ulid(1, random) < ulid(2, new Uint8Array(16)));
});
