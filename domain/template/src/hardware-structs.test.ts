/**
 * Tests that a field of Hardware is in the schema, in the CRD and in the Go structs that templates see, or in
 * none of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GoType } from '@tinkerbell/go-template';
import { crdFor, hardwareKind, isRecord } from '@tinkerbell/resources';
import { INTERFACES, METADATA } from './hardware-structs.ts';

function fieldsOfSchema(schema: unknown, path: string): readonly string[] {
  if (!isRecord(schema)) return [];
  const { properties, items } = schema;
  const own = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, field]) => [`${path}.${name}`, ...fieldsOfSchema(field, `${path}.${name}`)]),
    ...fieldsOfSchema(items, path),
  ];
}

function fieldsOfType(type: GoType, path: string): readonly string[] {
  if (type.kind === 'pointer' || type.kind === 'slice') return fieldsOfType(type.element, path);
  if (type.kind !== 'struct') return [];
  return type.fields.flatMap(({ name, jsonName = name, type: inner }) => [
    `${path}.${jsonName}`,
    ...fieldsOfType(inner, `${path}.${jsonName}`),
  ]);
}

function schemaOf(field: 'interfaces' | 'metadata'): unknown {
  const spec = crdFor(hardwareKind)['spec'] as {
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: { readonly properties: { readonly spec: { readonly properties: object } } };
      };
    }[];
  };
  const properties = spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties;
  return isRecord(properties) ? properties[field] : undefined;
}

for (const [field, type] of [
  ['interfaces', INTERFACES],
  ['metadata', METADATA],
] as const)
  test(`spec.${field} has the same fields in the CRD and in the Go structs of templates`, () => {
    assert.deepEqual(
      fieldsOfType(type, `spec.${field}`).toSorted(),
      fieldsOfSchema(schemaOf(field), `spec.${field}`).toSorted(),
      'add the field to domain/resources/src and to hardware-structs.ts, then run npm run generate',
    );
  });
