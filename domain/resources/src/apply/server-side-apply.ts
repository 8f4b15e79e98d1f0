/** Server-side apply: what a manager applies is merged into the object, and what it no longer applies goes. */
import { isDeepEqual } from '../deep-equal.ts';
import type { ManagedFieldsEntry, Resource } from '../resource.ts';
import type { Schema } from '../schema.ts';
import { isRecord } from '../structure.ts';
import {
  applySchema,
  fieldName,
  fieldsOf,
  fromFieldsV1,
  isSameAt,
  partsOf,
  toFieldsV1,
  without,
  type FieldSet,
} from './field-set.ts';

export interface FieldManager {
  readonly name: string;
  /** RFC 3339. */
  readonly now: string;
  readonly subresource?: string;
}

export interface Application {
  readonly schema: Schema;
  readonly applied: Readonly<Record<string, unknown>>;
  readonly manager: FieldManager;
  /** Take fields from others who own them. */
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

/** Merges what is applied into `live`. */
export function serverSideApply(live: Resource, application: Application): Applied {
  const { applied, manager, force } = application;
  const schema = applySchema(application.schema);
  const entries = entriesOf(live, schema);
  const wanted = fieldsOf(schema, applied);
  const isOwn = (one: ManagedFieldsEntry): boolean => isBy(one, manager, 'Apply');
  const others = entries.filter((one) => !isOwn(one));
  const taken = others.map((entry) => {
    const owned = fromFieldsV1(entry.fieldsV1);
    return {
      entry,
      owned,
      lost: [...owned].filter((path) => wanted.has(path) && !isSameAt(path, live, applied)),
    };
  });
  if (!force && taken.some(({ lost }) => lost.length > 0))
    return {
      ok: false,
      conflicts: taken.flatMap(({ entry, lost }) => lost.map((path) => conflictOf(entry, path))),
    };
  const kept = new Set(taken.flatMap(({ owned }) => [...owned]));
  const before = entries.find(isOwn);
  const dropped = [...fromFieldsV1(before?.fieldsV1)].filter((path) => !wanted.has(path) && !kept.has(path));
  const object = merged(schema, without(live, dropped), applied);
  const own = entryOf(String(applied['apiVersion']), manager, { operation: 'Apply', paths: wanted });
  const isSame = before !== undefined && isDeepEqual(before.fieldsV1, own.fieldsV1);
  return {
    ok: true,
    object,
    managedFields: [
      ...taken.flatMap(({ entry, lost }) => remaining(entry, new Set(lost))),
      isSame ? before : own,
    ],
  };
}

/** The managers after an update by other means; an object that nobody has applied has none, which keeps it small. */
export function managersAfterUpdate(
  { before, after }: { readonly before: Resource; readonly after: Resource },
  whole: Schema,
  manager: FieldManager,
): readonly ManagedFieldsEntry[] | undefined {
  const entries = before.metadata.managedFields;
  if (entries === undefined) return undefined;
  const schema = applySchema(whole);
  const [was, is] = [fieldsOf(schema, before), fieldsOf(schema, after)];
  const changed = new Set([...was, ...is].filter((path) => !isSameAt(path, before, after)));
  if (changed.size === 0) return entries;
  const present = [...changed].filter((path) => is.has(path));
  const own = entries.find((one) => isBy(one, manager, 'Update'));
  const left = entries.filter((one) => one !== own).flatMap((one) => remaining(one, changed));
  const mine = [...fromFieldsV1(own?.fieldsV1)].filter((path) => is.has(path));
  const paths = new Set([...mine, ...present]);
  if (paths.size === 0) return left;
  return [...left, entryOf(after.apiVersion, manager, { operation: 'Update', paths })];
}

/** Before the first apply, everything belongs to whoever wrote it, whose name is not known. */
function entriesOf(live: Resource, schema: Schema): readonly ManagedFieldsEntry[] {
  const { managedFields, creationTimestamp } = live.metadata;
  if (managedFields !== undefined) return managedFields;
  const paths = fieldsOf(schema, live);
  if (creationTimestamp === undefined || paths.size === 0) return [];
  const writer = { name: 'before-first-apply', now: creationTimestamp };
  return [entryOf(live.apiVersion, writer, { operation: 'Update', paths })];
}

function isBy(
  entry: ManagedFieldsEntry,
  { name, subresource }: FieldManager,
  operation: ManagedFieldsEntry['operation'],
): boolean {
  return entry.manager === name && entry.operation === operation && entry.subresource === subresource;
}

function entryOf(
  apiVersion: string,
  { name, now, subresource }: FieldManager,
  { operation, paths }: { readonly operation: ManagedFieldsEntry['operation']; readonly paths: FieldSet },
): ManagedFieldsEntry {
  const fieldsV1 = toFieldsV1(paths);
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

/** The entry without the fields; nothing when none is left. */
function remaining(entry: ManagedFieldsEntry, lost: FieldSet): readonly ManagedFieldsEntry[] {
  if (lost.size === 0) return [entry];
  const left = new Set([...fromFieldsV1(entry.fieldsV1)].filter((path) => !lost.has(path)));
  return left.size === 0 ? [] : [{ ...entry, fieldsV1: toFieldsV1(left) }];
}

function conflictOf({ manager, operation, apiVersion }: ManagedFieldsEntry, path: string): FieldConflict {
  return { manager, operation, apiVersion, field: fieldName(path) };
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
