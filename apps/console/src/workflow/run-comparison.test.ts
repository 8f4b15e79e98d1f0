import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowAction } from '@tinkerbell/resources';
import { comparedRuns, runBefore } from './run-comparison.ts';

function workflow(name: string, day: number, actions: readonly WorkflowAction[]): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default', creationTimestamp: `2026-11-0${day}T00:00:00Z` },
    spec: { hardwareRef: 'm1', templateRef: 'debian' },
    status: { tasks: [{ id: 't', name: 'install', agentID: 'a', actions: [...actions] }] },
  };
}

const took = (seconds: number) => ({
  executionStart: '2026-11-01T00:00:00Z',
  executionStop: `2026-11-01T00:00:${String(seconds).padStart(2, '0')}Z`,
});

test('the run before is the newest older one of the template on the machine', () => {
  const [first, second, third] = [workflow('a', 1, []), workflow('b', 2, []), workflow('c', 3, [])];
  const other = { ...second, metadata: { ...second.metadata, name: 'x' }, spec: { hardwareRef: 'm2' } };
  assert.equal(runBefore(third, [first, second, third, other])?.metadata.name, 'b');
  assert.equal(runBefore(first, [first, second, third]), undefined);
});

test('actions are compared by name, with their time and what has changed', () => {
  const before = workflow('a', 1, [
    { id: '1', name: 'write', state: 'SUCCESS', image: 'i:1', environment: { A: '1', B: '2' }, ...took(20) },
    { id: '2', name: 'gone', state: 'SUCCESS', ...took(1) },
  ]);
  const now = workflow('b', 2, [
    {
      id: '3',
      name: 'write',
      state: 'FAILED',
      image: 'i:2',
      environment: { A: '1', B: '3', C: '' },
      ...took(5),
    },
    { id: '4', name: 'new', state: 'PENDING' },
  ]);
  assert.deepEqual(comparedRuns(now, before), [
    {
      words: 'write',
      now: { state: 'FAILED', tookMs: 5000 },
      before: { state: 'SUCCESS', tookMs: 20_000 },
      changes: ['image', 'environment.B', 'environment.C'],
    },
    { words: 'new', now: { state: 'PENDING', tookMs: undefined }, changes: [] },
    { words: 'gone', before: { state: 'SUCCESS', tookMs: 1000 }, changes: [] },
  ]);
});
