import type { Resource } from '@tinkerbell/resources';
import type { Change, ObjectKey, StoredObject } from './store.ts';

/** A row as a database returns it, of `objects`, or with `type` of `changes`. 64-bit numbers may be text. */
type Row = Readonly<Record<string, unknown>>;

export function keyFrom(row: Row): ObjectKey {
  return {
    collection: String(row['collection']),
    namespace: String(row['namespace']),
    name: String(row['name']),
  };
}

export function storedFrom(row: Row): StoredObject {
  return {
    key: keyFrom(row),
    revision: Number(row['revision']),
    object: JSON.parse(String(row['object'])) as Resource,
  };
}

export function changeFrom(row: Row): Change {
  return { ...storedFrom(row), type: row['type'] as Change['type'] };
}
