import type { Resource } from '@tinkerbell/resources';
import type { Change } from '@tinkerbell/store-contract';
import type { Objects } from './held.ts';

export interface Difference {
  readonly change: Change;
  readonly before: Resource | undefined;
}

/** What happened while the store was not followed. */
export function changesBetween(before: Objects, after: Objects): readonly Difference[] {
  const found: Difference[] = [];
  for (const [collection, objects] of after) {
    for (const [path, { object }] of objects) {
      const known = before.get(collection)?.get(path)?.object;
      const type = known === undefined ? 'added' : 'modified';
      if (known?.metadata.resourceVersion !== object.metadata.resourceVersion)
        found.push({ change: changeOf(type, collection, object), before: known });
    }
  }
  for (const [collection, objects] of before)
    for (const [path, { object }] of objects)
      if (after.get(collection)?.has(path) !== true)
        found.push({ change: changeOf('deleted', collection, object), before: object });
  return found;
}

function changeOf(type: Change['type'], collection: string, object: Resource): Change {
  const { namespace, name, resourceVersion } = object.metadata;
  const key = { collection, namespace, name };
  return { type, key, revision: Number(resourceVersion), object };
}
