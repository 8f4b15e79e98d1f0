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
  { client, uids, overwrite }: RestoreOptions,
): Promise<Comparison> {
  const { namespace, name, uid = '' } = object.metadata;
  const present = await client.find({ kind, namespace, name });
  if (present === undefined) return 'created';
  uids.set(uid, present.metadata.uid ?? '');
  const isUnchanged =
    isSame(withoutIdentity(present, new Map()), withoutIdentity(object, uids)) &&
    isDeepEqual(present.status, statusFor(object, uids));
  if (isUnchanged) return 'unchanged';
  return overwrite ? 'overwritten' : 'different';
}

/** Throws a TinkFailure if a different object of that name exists and may not be replaced. */
export async function restoreObject(
  kind: OfferedKind,
  object: Resource,
  { client, uids, overwrite }: RestoreOptions,
): Promise<Restored> {
  const { namespace, name, uid = '' } = object.metadata;
  const wanted = withoutIdentity(object, uids);
  const status = statusFor(object, uids);
  const present = await client.find({ kind, namespace, name });
  if (present === undefined) {
    const created = await client.create(kind, wanted);
    uids.set(uid, created.metadata.uid ?? '');
    await restoreStatus(kind, { ...object, status }, { client, present: created });
    return 'created';
  }
  uids.set(uid, present.metadata.uid ?? '');
  if (isSame(withoutIdentity(present, new Map()), wanted)) {
    if (isDeepEqual(present.status, status)) return 'unchanged';
    // A previous run was interrupted between the object and its status.
    if (present.status !== undefined && !overwrite) throw isThere(kind, name);
  } else if (!overwrite) throw isThere(kind, name);
  const metadata = { ...wanted.metadata, ...revisionOf(present) };
  const replaced = await client.replace(kind, { ...wanted, metadata });
  await restoreStatus(kind, { ...object, status }, { client, present: replaced });
  return 'overwritten';
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
