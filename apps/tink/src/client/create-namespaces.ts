/** `--create-namespace`: creates the missing namespaces of objects. */
import { namespaceKind, objectMeta, type Resource } from '@tinkerbell/resources';
import type { ApiClient } from './client.ts';
import { ApiFailure } from './server-failure.ts';

/** Calls `done` with the name of each namespace that was created. */
export async function createNamespaces(
  objects: readonly { readonly resource: Resource }[],
  client: ApiClient,
  done: (name: string) => void,
): Promise<void> {
  const names = new Set(objects.map(({ resource }) => resource.metadata.namespace ?? ''));
  names.delete('');
  for (const name of names) if (await createNamespace(name, client)) done(name);
}

/** Returns false if the namespace exists. */
export async function createNamespace(name: string, client: ApiClient): Promise<boolean> {
  try {
    const kind = { ...namespaceKind, namespaced: false };
    await client.create(kind, {
      apiVersion: 'v1',
      kind: namespaceKind.kind,
      metadata: objectMeta({ name }),
    });
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiFailure && thrown.reason === 'AlreadyExists') return false;
    throw thrown;
  }
}
