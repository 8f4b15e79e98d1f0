/** Deletes objects. An object with finalizers or dependents is only marked, and is removed with its last finalizer. */
import {
  customResourceDefinitionKind,
  firstNamespaces,
  isRecord,
  namespaceKind,
  type Resource,
} from '@tinkerbell/resources';
import type { Store, StoredObject } from '@tinkerbell/store-contract';
import { successStatus } from './api-error.ts';
import type { DeleteOptions } from './delete-options.ts';
import { conflict, detailsOf, forbidden } from './object-errors.ts';
import type { ServerValues } from './prepare-object.ts';
import type { ResourceTarget } from './request-target.ts';
import { existing, outlivingConflicts, write } from './stored-object.ts';

export interface DeleteDeps {
  readonly store: Store;
  readonly values: () => ServerValues;
}

/** Finalizers of our garbage collector, with Kubernetes' names. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
/** Finalizers that a propagation policy waits for. */
const WAITING: Readonly<Record<string, readonly string[]>> = { Foreground: [FOREGROUND], Orphan: [ORPHAN] };
export const NAMESPACE_CONTENT = 'kubernetes';
export const CUSTOM_RESOURCES = 'customresourcecleanup.apiextensions.k8s.io';

/** Returns the object if it is only marked, else a Status of success. Throws an ApiError. */
export async function deleteObject(
  deps: DeleteDeps,
  target: ResourceTarget,
  options: DeleteOptions,
): Promise<object> {
  const { preconditions, dryRun, propagation } = options;
  const isRelative = preconditions.uid === undefined && preconditions.resourceVersion === undefined;
  return outlivingConflicts(isRelative, async () => {
    const current = await existing(deps.store, target);
    refuse(target, current, preconditions);
    const { metadata } = current.object;
    const { uid } = metadata;
    const finalizers = finalizersAt(target, current.object, propagation);
    if (finalizers.length > 0 || hasContent(target)) {
      const marked = markedObject(current.object, finalizers, deps.values().now);
      if (dryRun || marked === current.object) return marked;
      const { key, revision: expectedRevision } = current;
      return (await write(deps.store, target, { operation: 'update', key, object: marked, expectedRevision }))
        .object;
    }
    if (!dryRun)
      await write(deps.store, target, {
        operation: 'delete',
        key: current.key,
        expectedRevision: current.revision,
      });
    return successStatus({ ...detailsOf(target, current.key.name), ...(uid === undefined ? {} : { uid }) });
  });
}

function refuse(
  target: ResourceTarget,
  { key, object }: StoredObject,
  { uid, resourceVersion }: DeleteOptions['preconditions'],
): void {
  const { metadata } = object;
  if (target.kind === namespaceKind && firstNamespaces.includes(key.name))
    throw forbidden(target, key.name, 'this namespace may not be deleted');
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      target,
      key.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      target,
      key.name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`,
    );
}

/** A Namespace without finalizers in its metadata still waits until it is empty. */
function hasContent({ kind }: ResourceTarget): boolean {
  return kind === namespaceKind;
}

function finalizersAt(
  { kind }: ResourceTarget,
  { metadata, kind: name }: Resource,
  propagation: DeleteOptions['propagation'],
): readonly string[] {
  const others = (metadata.finalizers ?? []).filter((one) => one !== FOREGROUND && one !== ORPHAN);
  const waiting = propagation === undefined ? [] : (WAITING[propagation] ?? []);
  const content = kind === customResourceDefinitionKind && name !== '' ? [CUSTOM_RESOURCES] : [];
  return [...new Set([...others, ...content, ...waiting])];
}

function markedObject(object: Resource, finalizers: readonly string[], now: string): Resource {
  const { deletionTimestamp, finalizers: before = [] } = object.metadata;
  const isMarked = deletionTimestamp !== undefined;
  if (isMarked && before.length === finalizers.length && finalizers.every((one) => before.includes(one)))
    return object;
  const metadata = {
    ...object.metadata,
    deletionTimestamp: deletionTimestamp ?? now,
    deletionGracePeriodSeconds: 0,
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
  const isNamespace = object.kind === namespaceKind.kind && object.apiVersion === namespaceKind.version;
  if (!isNamespace) return { ...object, metadata };
  const status = isRecord(object.status) ? object.status : {};
  return { ...object, metadata, status: { ...status, phase: 'Terminating' } };
}

/** True if nothing keeps a marked object any more. */
export function isReleased({ metadata, spec }: Resource): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  const { finalizers: contents = [] } = (spec ?? {}) as { finalizers?: readonly string[] };
  return deletionTimestamp !== undefined && finalizers.length === 0 && contents.length === 0;
}
