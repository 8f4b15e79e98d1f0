import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configMapKind,
  managersAfterUpdate,
  objectSchemaOf,
  serverSideApply,
  type Resource,
} from '../index.ts';
import { drained } from '../drained.ts';
import type { Schema } from '../schema.ts';

const schema = objectSchemaOf(configMapKind);
const now = '2026-01-01T00:00:00Z';
type Data = Record<string, string>;

function configMap(data: Data): Resource & { data: Data } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' }, data };
}

function apply(live: Resource, data: Data, name: string, force = false) {
  const result = drained(
    serverSideApply(live, { schema, applied: { ...configMap(data) }, manager: { name, now }, force }),
  );
  if (!result.ok) return result.conflicts;
  const object = result.object as ReturnType<typeof configMap>;
  return { ...object, metadata: { ...object.metadata, managedFields: result.managedFields } };
}

function applied(live: Resource, data: Data, name: string, force = false) {
  const result = apply(live, data, name, force);
  assert.ok('data' in result, JSON.stringify(result));
  return result;
}

test('two managers own what each applied, and a field is removed with its last manager', () => {
  const first = applied(configMap({}), { a: '1', b: '2' }, 'one');
  const second = applied(first, { b: '2', c: '3' }, 'two');
  assert.deepEqual(second.data, { a: '1', b: '2', c: '3' });
  const third = applied(second, {}, 'one');
  assert.deepEqual(third.data, { b: '2', c: '3' });
});

test('a field that another manager applied with another value is a conflict, unless force is set', () => {
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

test('fields from before the first apply belong to an unknown writer', () => {
  const live = configMap({ a: '1' });
  const old = { ...live, metadata: { ...live.metadata, creationTimestamp: now } };
  const result = apply(old, { a: '2' }, 'one');
  assert.ok(Array.isArray(result));
  assert.equal(result[0]?.manager, 'before-first-apply');
});

const listed: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        keyed: {
          type: 'array',
          items: { type: 'object' },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      },
    },
  },
};

function appliedSpec(live: Resource, spec: unknown, name: string): Resource {
  const body = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec };
  const result = drained(
    serverSideApply(live, { schema: listed, applied: body, manager: { name, now }, force: true }),
  );
  assert.ok(result.ok);
  const object = result.object as Resource;
  return { ...object, metadata: { ...object.metadata, managedFields: result.managedFields } };
}

test('an item that is no longer applied is removed, and an item of another manager stays', () => {
  const nothing = { apiVersion: '', kind: '', metadata: {} } as Resource;
  const first = appliedSpec(
    nothing,
    {
      keyed: [
        { name: 'a', x: 1 },
        { name: 'b', x: { y: 1 } },
      ],
      set: ['p', 'q'],
    },
    'one',
  );
  const second = appliedSpec(first, { keyed: [{ name: 'b', z: 2 }], set: ['q', 'r'] }, 'two');
  assert.deepEqual(second.spec, {
    keyed: [
      { name: 'a', x: 1 },
      { name: 'b', x: { y: 1 }, z: 2 },
    ],
    set: ['p', 'q', 'r'],
  });
  const third = appliedSpec(second, { set: ['p'] }, 'one');
  assert.deepEqual(third.spec, { keyed: [{ name: 'b', z: 2 }], set: ['p', 'q', 'r'] });
});

test('applying, removing and taking over thousands of items takes time in proportion to their number', () => {
  const items = (x: number) => Array.from({ length: 4000 }, (_, at) => ({ name: `n${at}`, x }));
  const set = Array.from({ length: 4000 }, (_, at) => `v${at}`);
  const before = process.cpuUsage();
  const nothing = { apiVersion: '', kind: '', metadata: {} } as Resource;
  const one = appliedSpec(nothing, { keyed: items(1), set }, 'one');
  const two = appliedSpec(one, { keyed: items(2), set }, 'two');
  const left = appliedSpec(two, { keyed: [] }, 'two');
  const after = { ...two, spec: { keyed: items(3), set: [] } };
  drained(managersAfterUpdate({ before: two, after }, listed, { name: 'three', now }));
  const { user } = process.cpuUsage(before);
  assert.deepEqual((left.spec as { set: unknown[] }).set, set);
  assert.ok(user < 5_000_000, `${user} microseconds`);
});
