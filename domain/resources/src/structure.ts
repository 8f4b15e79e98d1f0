/**
 * Walks a value beside its schema: fills in defaults and finds fields the schema does not know, as the
 * Kubernetes API does for structural schemas. The value itself is not changed.
 */
import type { Schema } from './schema.ts';

export type Path = readonly (string | number)[];

export interface Structured {
  /** The value with defaults filled in and unknown fields left out. */
  readonly value: unknown;
  readonly unknownFields: readonly Path[];
}

export function structure(schema: Schema, value: unknown): Structured {
  const unknownFields: Path[] = [];
  return { value: walk(schema, value, [], unknownFields), unknownFields };
}

function walk(schema: Schema, value: unknown, path: Path, unknownFields: Path[]): unknown {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return value;
    return value.map((item, index) => walk(items, item, [...path, index], unknownFields));
  }
  if (!isRecord(value)) return value;
  if (schema.properties === undefined) return walkMap(schema, value, path, unknownFields);
  return walkObject(schema, value, path, unknownFields);
}

function walkMap(schema: Schema, value: Record<string, unknown>, path: Path, unknownFields: Path[]): unknown {
  const values = schema.additionalProperties;
  if (!isRecord(values)) {
    // A CustomResourceDefinition means no fields by an object without properties, unless it says otherwise.
    if (schema['x-kubernetes-prune-free-objects'] !== true) return value;
    return walkObject({ ...schema, properties: {} }, value, path, unknownFields);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, walk(values, item, [...path, key], unknownFields)]),
  );
}

function walkObject(
  schema: Schema,
  value: Record<string, unknown>,
  path: Path,
  unknownFields: Path[],
): unknown {
  const { properties = {} } = schema;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(properties, key)) {
      if (keepsUnknown(schema, key)) entries.push([key, item]);
      else unknownFields.push([...path, key]);
      continue;
    }
    const field = properties[key] ?? {};
    // As Kubernetes does: null where a default stands and null may not means the default.
    const isUnset = item === null && field.default !== undefined && field['nullable'] !== true;
    if (!isUnset) entries.push([key, walk(field, item, [...path, key], unknownFields)]);
  }
  const present = new Set(entries.map(([key]) => key));
  for (const [key, field] of Object.entries(properties)) {
    if (field.default === undefined || present.has(key)) continue;
    entries.push([key, walk(field, field.default, [...path, key], [])]);
  }
  return Object.fromEntries(entries);
}

function keepsUnknown(schema: Schema, key: string): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  return (
    schema['x-kubernetes-embedded-resource'] === true && ['apiVersion', 'kind', 'metadata'].includes(key)
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of the field at `path`, or undefined. */
export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let current: Schema | undefined = schema;
  for (const step of path) {
    if (current === undefined) return undefined;
    current =
      typeof step === 'number' ? current.items : (current.properties?.[step] ?? current.additionalProperties);
  }
  return current;
}
