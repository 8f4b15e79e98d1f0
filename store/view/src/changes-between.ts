import type { Resource } from '@tinkerbell/resources';
import type { Change } from '@tinkerbell/store-contract';

/** By collection, and there by namespace and name. */
export type Objects = Map<string, Map<string, Resource>>;

/** What happened while the store was not followed. */
export function changesBetween(before: Objects, after: Objects): readonly Change[] {
  const changes: Change[] = [];
  const add = (type: Change['type'], collection: string, object: Resource): void => {
    const { namespace, name, resourceVersion } = object.metadata;
    const key = { collection, namespace, name };
    changes.push({ type, key, revision: Number(resourceVersion), object });
  };
  for (const [collection, objects] of after) {
    for (const [path, object] of objects) {
      const known = before.get(collection)?.get(path);
      if (known === undefined) add('added', collection, object);
      else if (known.metadata.resourceVersion !== object.metadata.resourceVersion)
        add('modified', collection, object);
    }
  }
  for (const [collection, objects] of before)
    for (const [path, object] of objects)
      if (after.get(collection)?.has(path) !== true) add('deleted', collection, object);
  return changes;
}
