import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardwareKind, secretKind, templateKind, workflowKind, type Resource } from '@tinkerbell/resources';
import { inOrderOfReference, planWrite } from './apply-plan.ts';

const wanted: Resource = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 't', namespace: 'default', uid: 'from-a-file', resourceVersion: '1' },
  spec: { data: 'a' },
  status: { state: 'from a file' },
};
const current: Resource = {
  ...wanted,
  metadata: {
    name: 't',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '7',
    labels: { a: 'b' },
    finalizers: ['f'],
  },
  status: { state: 'x' },
};

test('a new object has no fields of the server', () => {
  assert.deepEqual(planWrite(templateKind, wanted, undefined), {
    kind: templateKind,
    operation: 'created',
    object: {
      apiVersion: wanted.apiVersion,
      kind: 'Template',
      metadata: { name: 't', namespace: 'default' },
      spec: { data: 'a' },
    },
  });
});

test('an equal object is unchanged, whatever the order of its fields and its status', () => {
  const spec = { b: { d: 1, c: 2 }, a: 1 };
  const same = { a: 1, b: { c: 2, d: 1 } };
  assert.equal(
    planWrite(templateKind, { ...wanted, spec }, { ...current, spec: same }).operation,
    'unchanged',
  );
});

test('a change keeps identity, revision and finalizers', () => {
  const { operation, object } = planWrite(templateKind, { ...wanted, spec: { data: 'b' } }, current);
  assert.equal(operation, 'configured');
  assert.deepEqual(object.metadata, current.metadata);
  assert.equal(object.status, undefined);
});

test('fields beside spec are sent and compared, such as the data of a Secret', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: wanted.metadata,
    type: 'Opaque',
    data: { a: 'Yg==' },
  };
  const stored = { ...secret, metadata: current.metadata };
  const created = planWrite(secretKind, secret, undefined);
  assert.deepEqual(created.object, { ...secret, metadata: { name: 't', namespace: 'default' } });
  assert.equal(planWrite(secretKind, secret, stored).operation, 'unchanged');
  const changed = planWrite(secretKind, { ...secret, data: { a: 'Yw==' } } as Resource, stored);
  assert.equal(changed.operation, 'configured');
  assert.deepEqual(Reflect.get(changed.object, 'data'), { a: 'Yw==' });
});

test('labels of the file replace the server’s', () => {
  const labelled = { ...wanted, metadata: { ...wanted.metadata, labels: { c: 'd' } } };
  const { operation, object } = planWrite(templateKind, labelled, current);
  assert.deepEqual([operation, object.metadata.labels], ['configured', { c: 'd' }]);
});

test('workflows come after the objects they reference; other objects keep the order of the files', () => {
  const order = [workflowKind, templateKind, workflowKind, hardwareKind].map((kind, index) => ({
    kind,
    index,
  }));
  assert.deepEqual(
    inOrderOfReference(order).map((one) => one.index),
    [1, 3, 0, 2],
  );
});
