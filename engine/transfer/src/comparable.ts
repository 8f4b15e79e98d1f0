/** Returns, as text, the part of an object that must be the same on both sides. */
import { isRecord, type Resource } from '@tinkerbell/resources';

/**
 * Contains everything but the resourceVersion. With `isCluster`, it also omits what a cluster assigns itself: uid,
 * creationTimestamp, generation, managedFields, the uids of owners and of the Hardware that a Workflow ran on.
 */
export function comparableText(object: Resource, isCluster: boolean): string {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  if (!isCluster) return sortedText({ ...object, metadata });
  return sortedText({ ...object, metadata: withoutIdentity(metadata), ...withoutHardwareUid(object) });
}

/** For a Workflow, the uid of the Hardware that it ran on. */
function withoutHardwareUid({ kind, status }: Resource): Pick<Resource, 'status'> {
  if (kind !== 'Workflow' || !isRecord(status)) return {};
  const { hardwareUID: _ranOn, ...kept } = status;
  return { status: kept };
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

/** JSON with the fields of each object sorted, because PostgreSQL and clusters do not keep the order. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
