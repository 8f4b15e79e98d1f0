import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMapKind, objectSchemaOf, serverSideApply, type Resource } from '../index.ts';

const schema = objectSchemaOf(configMapKind);
const now = '2026-01-01T00:00:00Z';
type Data = Record<string, string>;

function configMap(data: Data): Resource & { data: Data } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' }, data };
}

function apply(live: Resource, data: Data, name: string, force = false) {
  const result = serverSideApply(live, {
    schema,
    applied: { ...configMap(data) },
    manager: { name, now },
    force,
  });
  if (!result.ok) return result.conflicts;
  const object = result.object as ReturnType<typeof configMap>;
  return { ...object, metadata: { ...object.metadata, managedFields: result.managedFields } };
}

function applied(live: Resource, data: Data, name: string, force = false) {
  const result = apply(live, data, name, force);
  assert.ok('data' in result, JSON.stringify(result));
  return result;
}

test('two managers own what each applied, and a field goes with the last who applies it', () => {
  const first = applied(configMap({}), { a: '1', b: '2' }, 'one');
  const second = applied(first, { b: '2', c: '3' }, 'two');
  assert.deepEqual(second.data, { a: '1', b: '2', c: '3' });
  const third = applied(second, {}, 'one');
  assert.deepEqual(third.data, { b: '2', c: '3' });
});

test('a field that another applied with another value is a conflict, unless it is taken by force', () => {
  const first = applied(configMap({}), { a: '1' }, 'one');
  assert.deepEqual(apply(first, { a: '2' }, 'two'), [
    { manager: 'one', operation: 'Apply', apiVersion: 'v1', field: '.data.a' },
  ]);
  const taken = applied(first, { a: '2' }, 'two', true);
  assert.deepEqual(taken.data, { a: '2' });
  assert.deepEqual(
    taken.metadata.managedFields.map(({ manager }) => manager),
    ['two'],
  );
});

test('what was written before the first apply belongs to its unknown writer', () => {
  const live = configMap({ a: '1' });
  const old = { ...live, metadata: { ...live.metadata, creationTimestamp: now } };
  const result = apply(old, { a: '2' }, 'one');
  assert.ok(Array.isArray(result));
  assert.equal(result[0]?.manager, 'before-first-apply');
});
