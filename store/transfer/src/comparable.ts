/** What of an object must be the same on both sides, as text. */
import type { Resource } from '@tinkerbell/resources';

/**
 * Everything but the resourceVersion. With `isCluster` also without what a cluster gives itself: uid, creationTimestamp, generation,
 * managedFields and the uids of owners.
 */
export function comparableText(object: Resource, isCluster: boolean): string {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return sortedText({ ...object, metadata: isCluster ? withoutIdentity(metadata) : metadata });
}

type Metadata = Omit<Resource['metadata'], 'resourceVersion'>;

function withoutIdentity({ ownerReferences, ...metadata }: Metadata): object {
  const {
    uid: _uid,
    creationTimestamp: _time,
    generation: _generation,
    managedFields: _by,
    ...kept
  } = metadata;
  const owners = (ownerReferences ?? []).map(({ uid: _owner, ...owner }) => owner);
  return { ...kept, ...(owners.length === 0 ? {} : { ownerReferences: owners }) };
}

/** JSON with the fields of each object in order; PostgreSQL and clusters keep no order of theirs. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
