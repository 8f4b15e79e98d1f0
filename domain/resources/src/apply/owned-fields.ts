/** Determines which fields of an object a manager can own. */
import { isRecord } from '@tinkerbell/yaml/json';
import { metadataSchema as metadata } from '../metadata-rules.ts';
import type { Schema } from '../schema.ts';
import { FIELDS_AT_ONCE, leaf, type FieldTree } from './field-tree.ts';
import { partsOf } from './steps.ts';

/** The fields of metadata that clients own. The server owns the rest. */
const ownedMetadata: readonly string[] = ['annotations', 'finalizers', 'labels', 'ownerReferences'];

/** Metadata as apimachinery declares it. The schemas of kinds do not restrict it. */
const mergedMetadata: Schema = {
  type: 'object',
  properties: {
    finalizers: { ...metadata.properties?.['finalizers'], 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      ...metadata.properties?.['ownerReferences'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
  },
};

/** Returns the schema by which objects of a kind are split into fields. */
export function applySchema(whole: Schema): Schema {
  return { ...whole, properties: { ...whole.properties, metadata: mergedMetadata } };
}

/** Returns all fields of an object that a manager can own. Yields between some hundreds of them. */
export function* fieldsOf(schema: Schema, object: unknown): Generator<undefined, FieldTree> {
  const tree = new Map<string, FieldTree>();
  if (!isRecord(object)) return tree;
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind') continue;
    const field = schema.properties?.[key];
    const owned = key === 'metadata' ? ownedOf(value) : value;
    if (owned !== undefined) tree.set(`f:${key}`, yield* treeOf(field, owned));
  }
  return tree;
}

function ownedOf(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const owned = Object.entries(value).filter(([name]) => ownedMetadata.includes(name));
  return owned.length === 0 ? undefined : Object.fromEntries(owned);
}

function* treeOf(schema: Schema | undefined, value: unknown): Generator<undefined, FieldTree> {
  const tree = new Map<string, FieldTree>();
  for (const { step, part, value: inner } of partsOf(schema, value) ?? []) {
    tree.set(step, isContainer(inner) ? yield* treeOf(part, inner) : leaf);
    if (tree.size % FIELDS_AT_ONCE === 0) yield undefined;
  }
  return tree;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
