import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@tinkerbell/resources';
import {
  FIELDS_ANNOTATION,
  FIELDS_CONDITION,
  withFieldsPlaced,
  withFieldsRestored,
} from './field-placement.ts';

const workflows = 'workflows.tinkerbell.org';
const workflow: Resource = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'default' },
  status: {
    state: 'RUNNING',
    paused: true,
    operations: [{ verb: 'pause', who: 'x', time: '2026-01-01T00:00:00Z' }],
    conditions: [{ type: 'BootJobComplete', status: 'True' }],
    tasks: [
      {
        id: 't1',
        actions: [
          { id: 'a', state: 'SUCCESS', attempt: 2, retried: 1 },
          { id: 'b', state: 'PENDING', onFailure: [{ id: 'c', image: 'x' }] },
        ],
      },
      { id: 't2', actions: [{ id: 'd', state: 'PENDING' }] },
    ],
  },
};

test("added fields of a Workflow that upstream's CRD lacks become one condition, and are restored from it", () => {
  const placed = withFieldsPlaced(workflows, workflow);
  const status = placed.status as { conditions: { type: string; message: string }[]; tasks: object[] };
  const condition = status.conditions.find(({ type }) => type === FIELDS_CONDITION);
  assert.deepEqual(JSON.parse(condition?.message ?? ''), {
    paused: true,
    operations: [{ verb: 'pause', who: 'x', time: '2026-01-01T00:00:00Z' }],
    actions: [[{ attempt: 2, retried: 1 }, { onFailure: [{ id: 'c', image: 'x' }] }], [{}]],
  });
  assert.deepEqual(Object.keys(status).toSorted(), ['conditions', 'state', 'tasks']);
  assert.deepEqual(status.tasks[0], {
    id: 't1',
    actions: [
      { id: 'a', state: 'SUCCESS' },
      { id: 'b', state: 'PENDING' },
    ],
  });
  assert.deepEqual(withFieldsRestored(workflows, placed), workflow);
  assert.deepEqual(withFieldsPlaced(workflows, withFieldsRestored(workflows, placed)), placed);
});

test('an object without added fields stays unchanged, and so does an invalid condition', () => {
  const plain = { ...workflow, status: { state: 'PENDING' } };
  assert.equal(withFieldsPlaced(workflows, plain), plain);
  assert.equal(withFieldsRestored(workflows, plain), plain);
  const { status: _status, ...bare } = workflow;
  assert.deepEqual(withFieldsRestored(workflows, withFieldsPlaced(workflows, bare)), bare);
  for (const message of [undefined, '', '{', '[]', '3', 'null']) {
    const damaged = { ...workflow, status: { conditions: [{ type: FIELDS_CONDITION, message }] } };
    assert.equal(withFieldsRestored(workflows, damaged), damaged);
  }
});

test('only known added fields are read from a condition that others write', () => {
  const message = JSON.stringify({
    state: 'SUCCESS',
    paused: true,
    actions: [[{ image: 'evil', attempt: 3 }]],
  });
  const status = {
    state: 'RUNNING',
    conditions: [{ type: FIELDS_CONDITION, status: 'True', message }],
    tasks: [{ id: 't', actions: [{ id: 'a', image: 'good' }] }],
  };
  assert.deepEqual(withFieldsRestored(workflows, { ...workflow, status }).status, {
    state: 'RUNNING',
    paused: true,
    tasks: [{ id: 't', actions: [{ id: 'a', image: 'good', attempt: 3 }] }],
  });
});

test('conditions of a Hardware become an annotation, and those in their own place are newer', () => {
  const collection = 'hardware.tinkerbell.org';
  const condition = { type: 'OwnsItsAddresses', status: 'False', reason: 'OwnedByAnother' };
  const hardware: Resource = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'h', namespace: 'default' },
    status: { state: 'ready', conditions: [condition] },
  };
  const placed = withFieldsPlaced(collection, hardware);
  assert.deepEqual(placed.metadata.annotations, {
    [FIELDS_ANNOTATION]: JSON.stringify({ conditions: [condition] }),
  });
  assert.deepEqual(placed.status, { state: 'ready' });
  assert.deepEqual(withFieldsRestored(collection, placed), hardware);
  const newer = { ...placed, status: { conditions: [] } };
  assert.deepEqual(withFieldsRestored(collection, newer).status, { conditions: [] });
});
