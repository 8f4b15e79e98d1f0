/** The API path of a collection of the store. */
import { collectionOf, kinds } from '@tinkerbell/resources';
import type { ObjectKey } from '@tinkerbell/store-contract';

/**
 * Returns `/apis/tinkerbell.org/v1alpha1[/namespaces/NAMESPACE]/hardware` for `hardware.tinkerbell.org`.
 * Without a namespace the path covers all.
 */
export function collectionPath(collection: string, namespace?: string): string {
  const [plural = '', ...rest] = collection.split('.');
  const group = rest.join('.');
  const version = kindOf(collection)?.version ?? 'v1';
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within =
    namespace === undefined || namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${plural}`;
}

/** Cluster-scoped objects have no namespace there, and an empty one here. */
export function keyIn(
  collection: string,
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string },
): ObjectKey {
  return { collection, namespace, name };
}

export function objectPath({ collection, namespace, name }: ObjectKey): string {
  return `${collectionPath(collection, namespace)}/${encodeURIComponent(name)}`;
}

/** For collections with a status subresource, status is written separately. */
export function hasStatusSubresource(collection: string): boolean {
  return kindOf(collection)?.status !== undefined;
}

/** The collections that a watch of everything watches. */
export const knownCollections: readonly string[] = kinds.map(collectionOf);

function kindOf(collection: string) {
  return kinds.find((kind) => collectionOf(kind) === collection);
}
