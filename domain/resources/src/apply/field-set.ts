/**
 * Sets of fields as server-side apply knows them (structured-merge-diff, FieldsV1): `f:name` is a field, `k:{…}` an item of a list with
 * keys, `v:…` an item of a set. Lists and maps that are atomic are one field. A set holds the paths of its leaves as JSON.
 */
import { isDeepEqual } from '../deep-equal.ts';
import type { Schema } from '../schema.ts';
import { isRecord } from '../structure.ts';

export type FieldSet = ReadonlySet<string>;
type Steps = readonly string[];

/** What clients own; the rest of metadata is the server's. */
const ownedMetadata: readonly string[] = ['annotations', 'finalizers', 'labels', 'ownerReferences'];

/** Metadata as apimachinery declares it; schemas of kinds leave it free. */
const metadataSchema: Schema = {
  type: 'object',
  properties: {
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
  },
};

/** The schema by which objects of a kind are taken apart. */
export function applySchema(whole: Schema): Schema {
  return { ...whole, properties: { ...whole.properties, metadata: metadataSchema } };
}

/** All fields of an object that somebody may own. */
export function fieldsOf(schema: Schema, object: unknown): FieldSet {
  const paths = new Set<string>();
  if (!isRecord(object)) return paths;
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind') continue;
    const field = schema.properties?.[key];
    if (key !== 'metadata') collect(field, value, { steps: [`f:${key}`], paths });
    else if (isRecord(value)) {
      const owned = Object.entries(value).filter(([name]) => ownedMetadata.includes(name));
      if (owned.length > 0) collect(field, Object.fromEntries(owned), { steps: ['f:metadata'], paths });
    }
  }
  return paths;
}

interface Collected {
  readonly steps: Steps;
  readonly paths: Set<string>;
}

function collect(schema: Schema | undefined, value: unknown, { steps, paths }: Collected): void {
  const inner = partsOf(schema, value);
  if (inner === undefined) {
    paths.add(JSON.stringify(steps));
    return;
  }
  for (const { step, part, value } of inner) collect(part, value, { steps: [...steps, step], paths });
}

interface Part {
  readonly step: string;
  readonly part: Schema | undefined;
  readonly value: unknown;
}

/** Undefined for what is one field: plain values, atomic lists and maps, and what is empty. */
export function partsOf(schema: Schema | undefined, value: unknown): readonly Part[] | undefined {
  if (Array.isArray(value)) {
    const step = itemStep(schema);
    if (step === undefined || value.length === 0) return undefined;
    return value.map((item: unknown) => ({ step: step(item), part: schema?.items, value: item }));
  }
  if (!isRecord(value) || schema?.['x-kubernetes-map-type'] === 'atomic') return undefined;
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  return entries.map(([key, item]) => ({ step: `f:${key}`, part: fieldSchema(schema, key), value: item }));
}

function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, key)) return properties[key];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

/** How an item of a list is named; undefined for an atomic list. */
function itemStep(schema: Schema | undefined): ((item: unknown) => string) | undefined {
  const type = schema?.['x-kubernetes-list-type'];
  if (type === 'set') return (item) => `v:${JSON.stringify(item)}`;
  const keys = schema?.['x-kubernetes-list-map-keys'];
  if (type !== 'map' || !Array.isArray(keys)) return undefined;
  return (item) => {
    const named = (keys as string[]).toSorted().map((key) => [key, isRecord(item) ? item[key] : undefined]);
    return `k:${JSON.stringify(Object.fromEntries(named))}`;
  };
}

/** Whether the field at a path is the same in two objects. */
export function isSameAt(path: string, left: unknown, right: unknown): boolean {
  return isDeepEqual(valueAt(left, path), valueAt(right, path));
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const step of JSON.parse(path) as Steps) value = stepInto(value, step);
  return value;
}

function stepInto(value: unknown, step: string): unknown {
  if (step.startsWith('f:')) {
    const name = step.slice(2);
    return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const wanted: unknown = JSON.parse(step.slice(2));
  if (step.startsWith('v:')) return value.find((item) => isDeepEqual(item, wanted));
  return value.find((item) => hasKeys(item, wanted));
}

function hasKeys(item: unknown, keys: unknown): boolean {
  return isRecord(item) && isRecord(keys) && Object.entries(keys).every(([key, one]) => item[key] === one);
}

/** The object without the fields of the set. */
export function without(object: unknown, paths: Iterable<string>): unknown {
  let left = object;
  for (const path of paths) left = removed(left, JSON.parse(path) as Steps);
  return left;
}

function removed(value: unknown, [step = '', ...rest]: Steps): unknown {
  if (step.startsWith('f:')) {
    const name = step.slice(2);
    if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
    const { [name]: inner, ...others } = value;
    const next = rest.length === 0 ? undefined : removed(inner, rest);
    const isEmptied = isRecord(next) && Object.keys(next).length === 0;
    return next === undefined || isEmptied ? others : { ...value, [name]: next };
  }
  return Array.isArray(value) ? withoutItem(value, step, rest) : value;
}

/** An item of which only its keys are left goes too. */
function withoutItem(list: readonly unknown[], step: string, rest: Steps): readonly unknown[] {
  const item = stepInto(list, step);
  const wanted: unknown = JSON.parse(step.slice(2));
  const keys = isRecord(wanted) ? Object.keys(wanted) : [];
  const next = rest.length === 0 ? undefined : removed(item, rest);
  const isGone = isRecord(next) ? Object.keys(next).every((key) => keys.includes(key)) : next === undefined;
  return list.flatMap((one) => (one !== item ? [one] : isGone ? [] : [next]));
}

/** As managedFields show a set. */
export function toFieldsV1(paths: FieldSet): Record<string, unknown> {
  const root: Map<string, unknown> = new Map();
  for (const path of [...paths].toSorted()) {
    let at = root;
    for (const step of JSON.parse(path) as Steps) {
      let next = at.get(step) as Map<string, unknown> | undefined;
      if (next === undefined) at.set(step, (next = new Map()));
      at = next;
    }
  }
  return plain(root);
}

function plain(tree: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...tree].map(([step, inner]) => [step, plain(inner as Map<string, unknown>)]));
}

export function fromFieldsV1(fields: unknown): FieldSet {
  const paths = new Set<string>();
  const walk = (node: unknown, steps: Steps): void => {
    const inner = isRecord(node) ? Object.entries(node).filter(([step]) => step !== '.') : [];
    if (inner.length === 0 && steps.length > 0) paths.add(JSON.stringify(steps));
    for (const [step, one] of inner) walk(one, [...steps, step]);
  };
  walk(fields, []);
  return paths;
}

/** `.data.x`, `.spec.list[k="v"]`: as Kubernetes names fields in conflicts. */
export function fieldName(path: string): string {
  return (JSON.parse(path) as Steps)
    .map((step) => (step.startsWith('f:') ? `.${step.slice(2)}` : `[${step.slice(2)}]`))
    .join('');
}
