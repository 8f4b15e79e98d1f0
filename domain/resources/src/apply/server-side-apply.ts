/**
 * Server-side apply: the fields that a manager applies are merged into the object, and those that it no longer applies are
 * removed.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import type { ManagedFieldsEntry, ObjectMeta, Resource } from '../resource.ts';
import type { Schema } from '../schema.ts';
import {
  differing,
  fieldNames,
  fromFieldsV1,
  minus,
  shared,
  toFieldsV1,
  union,
  without,
  type FieldTree,
} from './field-tree.ts';
import { applySchema, fieldsOf } from './owned-fields.ts';
import { partsOf } from './steps.ts';

/** The number of conflicts that are named. Further ones are counted. */
const CONFLICTS_MAX = 100;

export interface FieldManager {
  readonly name: string;
  /** RFC 3339. */
  readonly now: string;
  readonly subresource?: string;
}

/** A stored object, or an empty one where none exists yet. */
export interface LiveObject extends Omit<Resource, 'metadata'> {
  readonly metadata: Partial<ObjectMeta>;
}

export interface Application {
  readonly schema: Schema;
  readonly applied: Readonly<Record<string, unknown>>;
  readonly manager: FieldManager;
  /** True: take over fields that other managers own. */
  readonly force: boolean;
}

export interface FieldConflict {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  /** `.data.x` */
  readonly field: string;
}

export type Applied =
  | { readonly ok: true; readonly object: unknown; readonly managedFields: readonly ManagedFieldsEntry[] }
  | { readonly ok: false; readonly conflicts: readonly FieldConflict[] };

/** Merges what is applied into `live`. Yields between its parts, each of which goes through the object once. */
export function* serverSideApply(live: LiveObject, application: Application): Generator<undefined, Applied> {
  const { applied, manager, force } = application;
  const schema = applySchema(application.schema);
  const entries = yield* entriesOf(live, schema);
  const wanted = yield* fieldsOf(schema, applied);
  const isOwn = (one: ManagedFieldsEntry): boolean => isBy(one, manager, 'Apply');
  const taken: Taken[] = [];
  for (const entry of entries.filter((one) => !isOwn(one))) {
    yield undefined;
    taken.push(takenFrom(entry, wanted, { live, applied }));
  }
  if (!force && taken.some(({ lost }) => lost.size > 0)) return { ok: false, conflicts: conflictsOf(taken) };
  const before = entries.find(isOwn);
  const notWanted = minus(fromFieldsV1(before?.fieldsV1), wanted);
  yield undefined;
  const dropped = taken.reduce((left, { owned }) => minus(left, owned), notWanted);
  const left = without(live, dropped);
  yield undefined;
  const object = merged(schema, left, applied);
  yield undefined;
  const own = yield* entryOf(String(applied['apiVersion']), manager, {
    operation: 'Apply',
    fields: wanted,
  });
  const isSame = before !== undefined && isDeepEqual(before.fieldsV1, own.fieldsV1);
  yield undefined;
  const others: ManagedFieldsEntry[] = [];
  for (const { entry, lost } of taken) others.push(...(yield* remaining(entry, lost)));
  return { ok: true, object, managedFields: [...others, isSame ? before : own] };
}

interface Taken {
  readonly entry: ManagedFieldsEntry;
  readonly owned: FieldTree;
  /** Returns the fields that others own with another value. */
  readonly lost: FieldTree;
}

function takenFrom(
  entry: ManagedFieldsEntry,
  wanted: FieldTree,
  { live, applied }: { readonly live: unknown; readonly applied: unknown },
): Taken {
  const owned = fromFieldsV1(entry.fieldsV1);
  return { entry, owned, lost: differing(shared(owned, wanted), live, applied) };
}

function conflictsOf(taken: readonly Taken[]): readonly FieldConflict[] {
  const conflicts = taken.flatMap(({ entry: { manager, operation, apiVersion }, lost }) =>
    fieldNames(lost, CONFLICTS_MAX).map((field) => ({ manager, operation, apiVersion, field })),
  );
  return conflicts.slice(0, CONFLICTS_MAX);
}

/**
 * Returns the managers after an update by other means. An object that was never applied has none, which keeps it small. Yields
 * between its parts.
 */
export function* managersAfterUpdate(
  { before, after }: { readonly before: Resource; readonly after: Resource },
  whole: Schema,
  manager: FieldManager,
): Generator<undefined, readonly ManagedFieldsEntry[] | undefined> {
  const entries = before.metadata.managedFields;
  if (entries === undefined) return undefined;
  const schema = applySchema(whole);
  const was = yield* fieldsOf(schema, before);
  const is = yield* fieldsOf(schema, after);
  const gone = differing(was, before, after);
  yield undefined;
  const present = differing(is, before, after);
  yield undefined;
  if (gone.size === 0 && present.size === 0) return entries;
  const own = entries.find((one) => isBy(one, manager, 'Update'));
  const left: ManagedFieldsEntry[] = [];
  for (const entry of entries.filter((one) => one !== own))
    for (const kept of yield* remaining(entry, gone)) left.push(...(yield* remaining(kept, present)));
  const fields = union(shared(fromFieldsV1(own?.fieldsV1), is), present);
  if (fields.size === 0) return left;
  return [...left, yield* entryOf(after.apiVersion, manager, { operation: 'Update', fields })];
}

/** Before the first apply, everything belongs to an unknown writer. */
function* entriesOf(live: LiveObject, schema: Schema): Generator<undefined, readonly ManagedFieldsEntry[]> {
  const { managedFields, creationTimestamp } = live.metadata;
  if (managedFields !== undefined) return managedFields;
  const fields = yield* fieldsOf(schema, live);
  if (creationTimestamp === undefined || fields.size === 0) return [];
  const writer = { name: 'before-first-apply', now: creationTimestamp };
  return [yield* entryOf(live.apiVersion, writer, { operation: 'Update', fields })];
}

function isBy(
  entry: ManagedFieldsEntry,
  { name, subresource }: FieldManager,
  operation: ManagedFieldsEntry['operation'],
): boolean {
  return entry.manager === name && entry.operation === operation && entry.subresource === subresource;
}

function* entryOf(
  apiVersion: string,
  { name, now, subresource }: FieldManager,
  { operation, fields }: { readonly operation: ManagedFieldsEntry['operation']; readonly fields: FieldTree },
): Generator<undefined, ManagedFieldsEntry> {
  const fieldsV1 = yield* toFieldsV1(fields);
  return {
    manager: name,
    operation,
    apiVersion,
    time: now,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Returns the entry without the fields, or nothing when no field is left. */
function* remaining(
  entry: ManagedFieldsEntry,
  lost: FieldTree,
): Generator<undefined, readonly ManagedFieldsEntry[]> {
  if (lost.size === 0) return [entry];
  const left = minus(fromFieldsV1(entry.fieldsV1), lost);
  return left.size === 0 ? [] : [{ ...entry, fieldsV1: yield* toFieldsV1(left) }];
}

function merged(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  const parts = partsOf(schema, applied);
  if (parts === undefined || live === undefined)
    return isEmptyMap(applied) && isRecord(live) ? live : applied;
  if (Array.isArray(applied)) {
    const known = new Map((partsOf(schema, live) ?? []).map(({ step, value }) => [step, value]));
    for (const { step, part, value } of parts) known.set(step, merged(part, known.get(step), value));
    return [...known.values()];
  }
  const fields = new Map(isRecord(live) ? Object.entries(live) : []);
  for (const { step, part, value } of parts) {
    const name = step.slice(2);
    fields.set(name, merged(part, fields.get(name), value));
  }
  return Object.fromEntries(fields);
}

function isEmptyMap(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
