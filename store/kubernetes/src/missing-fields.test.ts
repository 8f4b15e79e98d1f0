import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { collectionOf, crdFor, kinds } from '@tinkerbell/resources';
import { extensionPaths, missingFields, refusedPaths } from './missing-fields.ts';

const CRDS = '../../../domain/resources/src/testdata/upstream-crds.json';
const upstream = JSON.parse(readFileSync(new URL(CRDS, import.meta.url), 'utf8')) as Record<string, unknown>;

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: unknown } }[];
  };
}

function schemaOf(definition: unknown): unknown {
  return (definition as Definition).spec.versions[0]?.schema.openAPIV3Schema;
}

for (const kind of kinds) {
  test(`upstream's ${kind.kind} lacks exactly the added fields that have another place or are refused`, () => {
    const collection = collectionOf(kind);
    const ours = schemaOf(crdFor(kind));
    const missing = missingFields(ours, schemaOf(upstream[collection]));
    const expected = [...extensionPaths(collection), ...refusedPaths(collection)];
    assert.deepEqual(missing.toSorted(), expected.toSorted());
    assert.deepEqual(missingFields(ours, ours), []);
  });
}

test('names a missing field once, wherever it is', () => {
  const text = { type: 'string' };
  const status = { additionalProperties: { properties: { c: { properties: { d: text } } } } };
  const list = { items: { properties: { b: text } } };
  const ours = { properties: { metadata: {}, spec: { properties: { a: text, list } }, status } };
  const theirSpec = { properties: { list: { items: { properties: {} } } } };
  const theirs = { properties: { spec: theirSpec, status: { additionalProperties: {} } } };
  assert.deepEqual(missingFields(ours, theirs), ['spec.a', 'spec.list[].b', 'status{}.c']);
  const open = { properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true }, status } };
  assert.deepEqual(missingFields(ours, open), []);
  assert.deepEqual(missingFields(ours, undefined), ['spec', 'status']);
});
