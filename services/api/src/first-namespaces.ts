/** Creates the initial namespaces. */
import { collectionOf, firstNamespaces, namespaceKind } from '@tinkerbell/resources';
import type { NamespacedName, Store } from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import { createObject, type VerbDeps } from './resource-handlers.ts';
import { writeOptions } from './write-options.ts';

/**
 * Creates the namespaces of a cluster, those that the server writes to, and those that hold objects. A store may be older than the
 * rule that objects need an existing namespace.
 */
export async function createFirstNamespaces(
  deps: VerbDeps & { readonly namespaces?: readonly string[] },
): Promise<void> {
  const names = new Set([...firstNamespaces, ...(deps.namespaces ?? [])]);
  for (const kind of deps.catalog.collections())
    if (kind.scope !== 'Cluster')
      for await (const name of namespacesIn(deps.store, collectionOf(kind))) names.add(name);
  for (const name of names) await createNamespace(deps, name);
}

/** Sorts after every valid object name. */
const LAST_NAME = '~';

/** Yields each namespace once, with one small query each. */
async function* namespacesIn(store: Store, collection: string): AsyncGenerator<string, void, undefined> {
  let after: NamespacedName | undefined;
  for (;;) {
    const { items } = await store.list({ collection, limit: 1, ...(after && { after }) });
    const namespace = items[0]?.key.namespace;
    if (namespace === undefined) return;
    if (namespace !== '') yield namespace;
    after = { namespace, name: LAST_NAME };
  }
}

async function createNamespace(deps: VerbDeps, name: string): Promise<void> {
  const { apiVersion, kind } = { apiVersion: 'v1', kind: namespaceKind.kind };
  const submitted = { apiVersion, kind, metadata: { name } };
  const options = writeOptions(new URLSearchParams(), 'tinkerbell');
  await createObject(deps, { kind: namespaceKind }, { submitted, options }).catch((thrown: unknown) => {
    if (!(thrown instanceof ApiError) || thrown.reason !== 'AlreadyExists') throw thrown;
  });
}
