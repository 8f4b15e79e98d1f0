/** Requires an existing namespace for new objects (apiserver admission NamespaceLifecycle). */
import { collectionOf, namespaceKind } from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import { detailsOf, forbidden } from './object-errors.ts';
import type { ResourceTarget } from './request-target.ts';

/** Rejects with an ApiError if an object cannot be created in the namespace of the request. */
export async function refuseWithoutNamespace(
  store: Pick<Store, 'get'>,
  target: ResourceTarget,
  name: string,
): Promise<void> {
  const { namespace } = target;
  if (namespace === undefined) return;
  const key = { collection: collectionOf(namespaceKind), namespace: '', name: namespace };
  const found = await store.get(key);
  if (found === undefined) {
    const message = `namespaces ${JSON.stringify(namespace)} not found; create it first: kubectl create namespace ${namespace}, or --create-namespace of tink`;
    throw new ApiError('NotFound', message, detailsOf({ kind: namespaceKind }, namespace));
  }
  if (found.object.metadata.deletionTimestamp !== undefined)
    throw forbidden(
      target,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
}
