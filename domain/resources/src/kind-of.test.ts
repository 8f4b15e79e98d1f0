import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfKind, ofKind } from './kind-of.ts';
import { hardwareKind, workflowKind } from './kinds.ts';

const machine = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm1', namespace: 'default' },
  spec: { agentID: 'a1' },
};

test('an object is of the kind whose group, version and name it has', () => {
  assert.equal(isOfKind(machine, hardwareKind), true);
  assert.equal(isOfKind(machine, workflowKind), false);
  assert.equal(isOfKind({ ...machine, apiVersion: 'example.org/v1' }, hardwareKind), false);
  assert.equal(ofKind(machine, hardwareKind).spec?.agentID, 'a1');
});

test('an object of another kind is a bug', () => {
  assert.throws(
    () => ofKind(machine, workflowKind),
    /^Error: tinkerbell\.org\/v1alpha1 Hardware is not tinkerbell\.org\/v1alpha1 Workflow$/,
  );
});
