/** Keeps the catalog of kinds in step with the CustomResourceDefinitions in the store. */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import {
  collectionOf,
  customResourceDefinitionKind,
  kindsOfDefinition,
  type CustomResourceDefinition,
} from '@tinkerbell/resources';
import { Collection, type Store } from '@tinkerbell/store-contract';
import { followStore } from '../follow-store.ts';
import type { KindCatalog } from '../kind-catalog.ts';
import { isBuiltIn, isEstablished } from './accepted-definition.ts';

export interface CustomKindsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly catalog: KindCatalog;
}

const definitions = new Collection<CustomResourceDefinition>(collectionOf(customResourceDefinitionKind));

/** Resolves when every definition is loaded. Follows the store until the signal. */
export function followDefinitions(deps: CustomKindsDeps, signal: AbortSignal): Promise<void> {
  const { catalog } = deps;
  const put = (definition: CustomResourceDefinition): void => {
    const isServed = isEstablished(definition) && !isBuiltIn(definition);
    catalog.put(definition.metadata.name, isServed ? kindsOfDefinition(definition) : []);
  };
  return followStore(
    { ...deps, collections: () => [definitions.name] },
    {
      onObject: (stored) => {
        if (definitions.holds(stored)) put(stored.object);
      },
      onDeleted: ({ key }) => catalog.put(key.name, []),
    },
    signal,
  );
}
