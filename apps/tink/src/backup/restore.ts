/** Restores the objects of a backup to a server. It is safe to repeat. */
import { isDeepEqual, isRecord, type Resource } from '@tinkerbell/resources';
import type { ApiClient } from '../client/client.ts';
import type { OfferedKind } from '../client/discovery.ts';
import { TinkFailure } from '../failure.ts';

export type Restored = 'created' | 'overwritten' | 'unchanged';

/** What a restore would do with an object. `different`: it would stop there. */
export type Comparison = Restored | 'different';

/** Maps uids in the backup to new uids, for owner references. */
type Uids = Map<string, string>;

export interface RestoreOptions {
  readonly client: ApiClient;
  readonly uids: Uids;
  readonly overwrite: boolean;
}

/** Returns what `restoreObject` would do, and changes nothing. */
export async function compareObject(
  kind: OfferedKind,
  object: Resource,
  options: RestoreOptions,
): Promise<Comparison> {
  const { namespace, name } = object.metadata;
  return comparisonOf(await options.client.find({ kind, namespace, name }), object, options);
}

/** Throws a TinkFailure if a different object of that name exists and may not be replaced. */
export async function restoreObject(
  kind: OfferedKind,
  object: Resource,
  options: RestoreOptions,
): Promise<Restored> {
  const { client, uids } = options;
  const { namespace, name, uid = '' } = object.metadata;
  const present = await client.find({ kind, namespace, name });
  const comparison = comparisonOf(present, object, options);
  if (comparison === 'different') throw isThere(kind, name);
  if (comparison === 'unchanged') return comparison;
  const wanted = withoutIdentity(object, uids);
  const stored =
    present === undefined
      ? await client.create(kind, wanted)
      : await client.replace(kind, {
          ...wanted,
          metadata: { ...wanted.metadata, ...revisionOf(present) },
        });
  uids.set(uid, stored.metadata.uid ?? '');
  const status = statusFor(object, uids);
  await restoreStatus(kind, { ...object, status }, { client, present: stored });
  return comparison;
}

/** What a restore does with an object. Remembers the uid of one that is there. */
export function comparisonOf(
  present: Resource | undefined,
  object: Resource,
  { uids, overwrite }: Pick<RestoreOptions, 'uids' | 'overwrite'>,
): Comparison {
  if (present === undefined) return 'created';
  uids.set(object.metadata.uid ?? '', present.metadata.uid ?? '');
  const isTheSame = isSame(withoutIdentity(present, new Map()), withoutIdentity(object, uids));
  if (isTheSame && isDeepEqual(present.status, statusFor(object, uids))) return 'unchanged';
  // A previous run was interrupted between the object and its status.
  const isInterrupted = isTheSame && present.status === undefined;
  return overwrite || isInterrupted ? 'overwritten' : 'different';
}

async function restoreStatus(
  kind: OfferedKind,
  { status, metadata: { namespace, name } }: Resource,
  { client, present }: { readonly client: ApiClient; readonly present: Resource },
): Promise<void> {
  if (status === undefined || !kind.subresources.includes('status')) return;
  if (isDeepEqual(present.status, status)) return;
  await client.patch({ kind, namespace, name }, { type: 'merge', body: { status }, subresource: 'status' });
}

/** Updates the uid of the Hardware that a Workflow ran on. Without it, the workflow counts as run on the Hardware of that name. */
function statusFor({ kind, status }: Resource, uids: Uids): Resource['status'] {
  if (kind !== 'Workflow' || !isRecord(status) || typeof status['hardwareUID'] !== 'string') return status;
  const { hardwareUID, ...rest } = status;
  const uid = uids.get(hardwareUID);
  return uid === undefined ? rest : { ...rest, hardwareUID: uid };
}

function isThere(kind: OfferedKind, name: string): TinkFailure {
  return new TinkFailure(`${kind.singular}/${name} already exists and differs`, {
    advice: 'restore to an empty server, or add --overwrite',
  });
}

/** Removes fields that the server assigns, and replaces owner uids. */
function withoutIdentity({ status: _status, ...object }: Resource, uids: Uids): Resource {
  const { uid, resourceVersion, creationTimestamp, generation, managedFields, ...metadata } = object.metadata;
  void [uid, resourceVersion, creationTimestamp, generation, managedFields];
  const owners = metadata.ownerReferences?.map((one) => ({ ...one, uid: uids.get(one.uid) ?? one.uid }));
  return {
    ...object,
    metadata: { ...metadata, ...(owners === undefined ? {} : { ownerReferences: owners }) },
  };
}

function isSame(one: Resource, other: Resource): boolean {
  return isDeepEqual(one, other);
}

function revisionOf({ metadata: { resourceVersion } }: Resource) {
  return resourceVersion === undefined ? {} : { resourceVersion };
}
