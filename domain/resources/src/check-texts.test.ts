import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkDefinitionText, checkObjectText } from './check-texts.ts';
import type { CustomResourceDefinition } from './core/custom-resource-definition.ts';
import { kindsOfDefinition } from './custom-kind.ts';
import type { Kind } from './kind.ts';
import { formatProblem } from './problem.ts';
import type { Resource } from './resource.ts';
import type { Schema } from './schema.ts';
import { validateAs } from './validate.ts';

function definitionOf(spec: Schema): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'racks.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'racks', singular: 'rack', kind: 'Rack', listKind: 'RackList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  } as unknown as CustomResourceDefinition;
}

function kindOf(spec: Schema): Kind {
  const [kind] = kindsOfDefinition(definitionOf(spec));
  assert.ok(kind);
  return kind;
}

const rack = (spec: unknown): Record<string, unknown> => ({
  apiVersion: 'example.org/v1',
  kind: 'Rack',
  metadata: { name: 'r1' },
  spec,
});

const units: Schema = {
  type: 'object',
  required: ['units'],
  properties: {
    units: { type: 'integer', default: 42 },
    name: { type: 'string', pattern: '^[a-z]+$' },
    slots: { type: 'array', items: { type: 'integer' } },
  },
  'x-kubernetes-validations': [{ rule: '!has(self.slots) || self.slots.size() < 3', message: 'too many' }],
};

test('decides as the check of values does, with the same messages', () => {
  const kind = kindOf(units);
  const schema = JSON.stringify(kind.schema);
  const one = fc.oneof(fc.integer(), fc.constantFrom('r', 'R', '9'.repeat(200)), fc.constant(null));
  const spec = fc.record(
    { units: one, name: one, slots: fc.oneof(one, fc.array(one)), other: fc.jsonValue() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(spec, fc.jsonValue()), (value) => {
      const object: Record<string, unknown> = JSON.parse(JSON.stringify(rack(value)));
      const ofValues = validateAs(kind, object);
      const ofTexts = checkObjectText({ schema, object: JSON.stringify(object) });
      if (!ofValues.ok || !ofTexts.ok) {
        assert.ok(!ofValues.ok && !ofTexts.ok);
        assert.deepEqual(ofTexts.problems.map(formatProblem), ofValues.problems.map(formatProblem));
        return;
      }
      const resource: unknown = ofTexts.changed === undefined ? object : JSON.parse(ofTexts.changed);
      assert.deepEqual(resource, ofValues.resource);
      assert.deepEqual(ofTexts.unknownFields.map(formatProblem), ofValues.unknownFields.map(formatProblem));
    }),
    { numRuns: 500 },
  );
});

test('an unchanged part is not refused, as in Kubernetes, also when the whole object is sent again', () => {
  const kind = kindOf({ type: 'object', properties: { a: units, b: { type: 'integer' } } });
  const schema = JSON.stringify(kind.schema);
  const before = rack({ a: { units: 1, slots: [1, 2, 3] }, b: 1 }) as unknown as Resource;
  const check = (spec: object) =>
    checkObjectText({ schema, object: JSON.stringify(rack(spec)), before: JSON.stringify(before) });
  assert.ok(check({ a: { units: 1, slots: [1, 2, 3] }, b: 2 }).ok);
  assert.ok(!check({ a: { units: 2, slots: [1, 2, 3] }, b: 1 }).ok);
});

test('problems carry no values and no long names, however large the object is', () => {
  const kind = kindOf({ type: 'object', additionalProperties: { type: 'integer' } });
  const object = JSON.stringify(rack({ ['k'.repeat(100_000)]: 'v'.repeat(100_000), units: 1 }));
  const verdict = checkObjectText({ schema: JSON.stringify(kind.schema), object });
  assert.ok(!verdict.ok);
  assert.ok(JSON.stringify(verdict).length < 2000);
});

test('reports the schemas of a definition that cannot be used', () => {
  assert.deepEqual(checkDefinitionText(JSON.stringify(definitionOf(units))), []);
  const [problem] = checkDefinitionText(JSON.stringify(definitionOf({ type: 'string', pattern: '(' })));
  assert.deepEqual(problem?.path, ['spec', 'versions', 0, 'schema', 'openAPIV3Schema']);
});
