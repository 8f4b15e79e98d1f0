/**
 * Rows of databases as what was written to them. The stores write only valid objects and records, so what they read is not
 * validated again.
 */
import type { Resource } from '@tinkerbell/resources';
import type { JournalRecord } from './journal.ts';
import type { Lease } from './leases.ts';
import type { Change, ObjectKey, StoredObject } from './store.ts';
import { shareStrings } from './shared-strings.ts';

/** A row as a database returns it: of `objects`, with `type` of `changes`, or of `leases`. 64-bit numbers may be text. */
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
    object: objectFrom(String(row['object'])),
  };
}

export function changeFrom(row: Row): Change {
  return { ...storedFrom(row), type: row['type'] as Change['type'] };
}

/** The object of its JSON text. */
export function objectFrom(text: string): Resource {
  const object = JSON.parse(text) as Resource;
  shareStrings(object);
  return object;
}

/** The record of its JSON text. */
export function recordFrom(text: string): JournalRecord {
  return JSON.parse(text) as JournalRecord;
}

export function leaseFrom(row: Row): Lease {
  return {
    address: String(row['address']),
    mac: String(row['mac']),
    state: row['state'] as Lease['state'],
    untilMs: Number(row['until_ms']),
  };
}
