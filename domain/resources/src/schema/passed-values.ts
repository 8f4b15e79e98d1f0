/**
 * Values that passed the whole check of a schema. Objects are never changed, so they pass again, and a change of the
 * status costs no check of the spec.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import { RecentMap } from '../recent-map.ts';
import type { Schema } from '../schema.ts';
import { beyond, sizeOf } from '../value-size.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Two values of this size are compared without a pause. */
const COMPARED_MAX = { nodes: 2000, characters: 100_000, depth: 100, keys: 1000 };

const passed = new RecentMap<object, Schema>();

export function hasPassed(schema: Schema, value: unknown): boolean {
  return typeof value === 'object' && value !== null && passed.get(value) === schema;
}

export interface PassedObject {
  /** With its defaults and without unknown fields. */
  readonly checked: Fields;
  readonly submitted: Fields;
  /** What is stored. */
  readonly before: Fields;
}

/** Remembers the fields of an object without a problem, and those of the stored one that a change keeps as they are. */
export function rememberFields(
  { properties = {} }: Schema,
  { checked, submitted, before }: PassedObject,
): void {
  for (const name of Object.keys(checked)) {
    const field = properties[name];
    const value = checked[name];
    if (field === undefined || name === 'metadata' || !isRecord(value) || hasPassed(field, value)) continue;
    passed.set(value, field);
    const kept = submitted[name] === before[name] ? before[name] : undefined;
    if (isRecord(kept) && isSame(value, kept)) passed.set(kept, field);
  }
}

function isSame(value: unknown, other: unknown): boolean {
  return beyond(sizeOf(other, COMPARED_MAX), COMPARED_MAX) === undefined && isDeepEqual(value, other);
}
