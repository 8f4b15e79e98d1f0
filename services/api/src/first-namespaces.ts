import { firstNamespaces, namespaceKind } from '@tinkerbell/resources';
import { ApiError } from './api-error.ts';
import { createObject, type VerbDeps } from './resource-handlers.ts';
import { writeOptions } from './write-options.ts';

/** They are there from the start, as in a cluster. */
export async function createFirstNamespaces(deps: VerbDeps): Promise<void> {
  const { apiVersion, kind } = { apiVersion: 'v1', kind: namespaceKind.kind };
  for (const name of firstNamespaces) {
    const body = { apiVersion, kind, metadata: { name } };
    const options = writeOptions(new URLSearchParams(), 'tinkerbell');
    await createObject(deps, { kind: namespaceKind }, body, options).catch((thrown: unknown) => {
      if (!(thrown instanceof ApiError) || thrown.reason !== 'AlreadyExists') throw thrown;
    });
  }
}
