/** Copies the objects of one collection into the target. Objects that exist there must be the same. */
import { isRecord, type OwnerReference, type Resource } from '@tinkerbell/resources';
import { formatKey, type StoredObject, type Write } from '@tinkerbell/store-contract';
import { comparableText } from './comparable.ts';
import { eachPage } from './scan.ts';
import type { TransferPlace } from './transfer-place.ts';
import { TransferRefusal } from './transfer-refusal.ts';

export interface CopyOptions {
  readonly from: TransferPlace;
  readonly to: TransferPlace;
  readonly isOurs: (stored: StoredObject) => boolean;
  /** The uids that a cluster assigned, by the uids that owners had in the source. */
  readonly uids: Map<string, string>;
  /** Called with each new number of objects in the target. It may throw to end the copy. */
  readonly onCopied: (count: number) => void;
}

export async function copyCollection(collection: string, options: CopyOptions): Promise<void> {
  for await (const page of eachPage(options.from.store, collection)) {
    const ours = page.filter(options.isOurs);
    const writes = await writesFor(ours, options);
    // A cluster performs one write after the other, so short commits lose less when it becomes unavailable.
    if (options.to.isCluster === true) for (const write of writes) await perform([write], options);
    else if (writes.length > 0) await perform(writes, options);
    options.onCopied(ours.length);
  }
}

async function writesFor(page: readonly StoredObject[], options: CopyOptions): Promise<readonly Write[]> {
  const { to, uids } = options;
  const writes: Write[] = [];
  for (const { key, object } of page) {
    const present = await to.store.get(key);
    if (present === undefined) {
      writes.push({ operation: 'create', key, object: bare(object, options) });
      continue;
    }
    if (to.isCluster === true) uids.set(object.metadata.uid ?? '', present.object.metadata.uid ?? '');
    const isCluster = to.isCluster === true;
    if (comparableText(present.object, isCluster) === comparableText(object, isCluster)) continue;
    if (!isCluster || !isHalf(present.object, object)) throw differs(key, to);
    // A cluster writes an object and its status separately, and the run ended in between.
    const completed = {
      ...present.object,
      ...withStatus(object, uids),
    };
    writes.push({ operation: 'update', key, object: completed, expectedRevision: present.revision });
  }
  return writes;
}

/** The object is the same except for its status. */
function isHalf(
  { status: _present, ...present }: Resource,
  { status: _wanted, ...wanted }: Resource,
): boolean {
  return comparableText(present, true) === comparableText(wanted, true);
}

function differs(key: StoredObject['key'], to: TransferPlace): TransferRefusal {
  return new TransferRefusal(
    `${formatKey(key)} is in ${to.name} and differs from the source`,
    'another program wrote to the target meanwhile; empty it and start again',
  );
}

async function perform(writes: readonly Write[], { to, uids }: CopyOptions): Promise<void> {
  const result = await to.store.commit(writes);
  if (!result.ok)
    throw new TransferRefusal(
      `the target did not accept ${formatKey(result.key)}: ${result.message}`,
      'fix this and run the same command again; it resumes where it stopped',
    );
  if (to.isCluster !== true) return;
  for (const [index, { object }] of result.objects.entries()) {
    const write = writes[index];
    if (write?.operation === 'create') uids.set(write.object.metadata.uid ?? '', object.metadata.uid ?? '');
  }
}

/**
 * Returns the object to create. It carries the source's uid, so that it can be found again, because a cluster assigns its own
 * uid.
 */
function bare(object: Resource, { to, uids }: CopyOptions): Resource {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  if (to.isCluster !== true) return { ...object, metadata };
  const { managedFields: _by, ownerReferences, ...kept } = metadata;
  const owners = ownerReferences?.map((owner) => ownerInTarget(owner, uids));
  const ownerReferencesInTarget = owners === undefined ? {} : { ownerReferences: owners };
  return { ...object, metadata: { ...kept, ...ownerReferencesInTarget }, ...withStatus(object, uids) };
}

/** A Workflow names the Hardware it ran on by its uid. It keeps the old uid of a Hardware that no longer exists. */
function withStatus({ kind, status }: Resource, uids: ReadonlyMap<string, string>): Pick<Resource, 'status'> {
  if (status === undefined) return {};
  if (kind !== 'Workflow' || !isRecord(status) || typeof status['hardwareUID'] !== 'string')
    return { status };
  const { hardwareUID } = status;
  return { status: { ...status, hardwareUID: uids.get(hardwareUID) ?? hardwareUID } };
}

/** Owners are copied before the objects they own. The uid of an owner that no longer exists is kept. */
function ownerInTarget(owner: OwnerReference, uids: ReadonlyMap<string, string>): OwnerReference {
  return { ...owner, uid: uids.get(owner.uid) ?? owner.uid };
}
