/** A ConfigMap in the target, from the first write to the end of the verification. It identifies an interrupted run. */
import type { Resource } from '@tinkerbell/resources';
import type { ObjectKey, Store, StoredObject } from '@tinkerbell/store-contract';

export interface Marker {
  /** The name of the source, as the operator gave it. */
  readonly source: string;
  /** The revision of the source at the start. It is empty for a cluster, whose revision always changes. */
  readonly revision: string;
  /** The sequence up to which records of timelines and of output have been copied. */
  readonly timeline: number;
  readonly output: number;
}

const key: ObjectKey = { collection: 'configmaps', namespace: 'default', name: 'tinkerbell-migration' };

export function isMarker({ collection, namespace, name }: ObjectKey): boolean {
  return collection === key.collection && namespace === key.namespace && name === key.name;
}

export async function readMarker(store: Store): Promise<Marker | undefined> {
  const stored = await store.get(key);
  if (stored === undefined) return undefined;
  const data = dataOf(stored);
  return {
    source: data['source'] ?? '',
    revision: data['revision'] ?? '',
    timeline: Number(data['timeline'] ?? 0),
    output: Number(data['output'] ?? 0),
  };
}

/** Throws when the store does not accept the write. */
export async function writeMarker(store: Store, marker: Marker): Promise<void> {
  const { namespace, name } = key;
  const data = Object.fromEntries(Object.entries(marker).map(([field, value]) => [field, String(value)]));
  const stored = await store.get(key);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data } as Resource;
  const result = await store.commit([
    stored === undefined
      ? { operation: 'create', key, object }
      : {
          operation: 'update',
          key,
          object: { ...stored.object, data } as Resource,
          expectedRevision: stored.revision,
        },
  ]);
  if (!result.ok)
    throw new Error(`the target does not accept the marker of the migration: ${result.message}`);
}

export async function removeMarker(store: Store): Promise<void> {
  const stored = await store.get(key);
  if (stored === undefined) return;
  const result = await store.commit([{ operation: 'delete', key, expectedRevision: stored.revision }]);
  if (!result.ok)
    throw new Error(`the target does not delete the marker of the migration: ${result.message}`);
}

function dataOf({ object }: StoredObject): Readonly<Record<string, string>> {
  return (object as Resource & { readonly data?: Readonly<Record<string, string>> }).data ?? {};
}
