/** The objects of a list and what its watch reports, without React. */
import type { Resource } from '@tinkerbell/resources';

export interface WatchEvent<Object extends Resource> {
  readonly type: string;
  readonly object: Object;
}

export const keyOf = ({ metadata: { namespace, name } }: Resource): string => `${namespace}/${name}`;

/** Returns the same array if nothing changed. The order of unchanged objects stays, and new ones come last. */
export function withEvents<Object extends Resource>(
  objects: readonly Object[],
  events: readonly WatchEvent<Object>[],
): readonly Object[] {
  const changes = new Map<string, Object | undefined>();
  for (const { type, object } of events) {
    if (type === 'DELETED') changes.set(keyOf(object), undefined);
    else if (type === 'ADDED' || type === 'MODIFIED') changes.set(keyOf(object), object);
  }
  if (changes.size === 0) return objects;
  const next: Object[] = [];
  for (const object of objects) {
    const key = keyOf(object);
    if (!changes.has(key)) next.push(object);
    else {
      const changed = changes.get(key);
      if (changed !== undefined) next.push(changed);
      changes.delete(key);
    }
  }
  for (const object of changes.values()) if (object !== undefined) next.push(object);
  return next;
}

/** Returns the revision after these events, to resume a broken watch. */
export function revisionAfter(before: string, events: readonly WatchEvent<Resource>[]): string {
  return events.at(-1)?.object.metadata.resourceVersion ?? before;
}
