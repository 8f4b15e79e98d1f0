/**
 * Deletes dependents of deleted owners, and the content of deleted namespaces and definitions. Reacts to deletions, and checks
 * everything once at the start. All steps may be repeated, so several servers may run it.
 */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import { collectionOf, namespaceKind, type OwnerReference, type Resource } from '@tinkerbell/resources';
import type { Change, ObjectKey, Store, StoredObject } from '@tinkerbell/store-contract';
import { ApiError } from '../api-error.ts';
import { CUSTOM_RESOURCES, deleteObject, FOREGROUND, ORPHAN, type DeleteDeps } from '../delete-object.ts';
import type { DeleteOptions } from '../delete-options.ts';
import { eachStored, followStore } from '../follow-store.ts';
import type { KindCatalog } from '../kind-catalog.ts';
import { OwnerIndex } from './owner-index.ts';
import { WorkQueue } from './work-queue.ts';

export interface CollectorDeps extends DeleteDeps {
  readonly store: Store;
  readonly catalog: KindCatalog;
  readonly clock: Clock;
  readonly log: Log;
}

const namespaces = collectionOf(namespaceKind);
const background: DeleteOptions = { dryRun: false, propagation: 'Background', preconditions: {} };

export class Collector {
  readonly #deps: CollectorDeps;
  readonly #owners = new OwnerIndex();
  readonly #queue: WorkQueue;
  /** Marked objects that wait for others. They are checked again after each deletion. */
  readonly #waiting = new Map<string, ObjectKey>();

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
    this.#queue = new WorkQueue(deps);
  }

  start(signal: AbortSignal): Promise<void> {
    const collections = (): readonly string[] => this.#deps.catalog.collections().map(collectionOf);
    return followStore(
      { ...this.#deps, collections },
      {
        onObject: (stored) => this.#took(stored),
        onDeleted: (change) => this.#lost(change),
      },
      signal,
    );
  }

  #took({ key, object }: StoredObject): void {
    this.#owners.put(key, object);
    if ((object.metadata.ownerReferences ?? []).length > 0)
      this.#queue.add(`owners ${pathOf(key)}`, () => this.#checkOwners(key));
    if (object.metadata.deletionTimestamp === undefined) return;
    const isOurs =
      key.collection === namespaces ||
      (object.metadata.finalizers ?? []).some((one) => [FOREGROUND, ORPHAN, CUSTOM_RESOURCES].includes(one));
    if (!isOurs) return;
    this.#waiting.set(pathOf(key), key);
    this.#finishLater(key);
  }

  #lost({ key, object }: Change): void {
    this.#owners.remove(key);
    this.#waiting.delete(pathOf(key));
    for (const dependent of this.#owners.dependentsOf(object.metadata.uid ?? ''))
      this.#queue.add(`owners ${pathOf(dependent)}`, () => this.#checkOwners(dependent));
    for (const waiting of this.#waiting.values()) this.#finishLater(waiting);
  }

  #finishLater(key: ObjectKey): void {
    this.#queue.add(`finish ${pathOf(key)}`, () => this.#finish(key));
  }

  /** Deletes an object if all its owners are gone. Otherwise removes references to missing owners. */
  async #checkOwners(key: ObjectKey): Promise<void> {
    const stored = await this.#deps.store.get(key);
    const references = stored?.object.metadata.ownerReferences ?? [];
    if (stored === undefined || references.length === 0) return;
    const left: OwnerReference[] = [];
    for (const reference of references) {
      if (await this.#exists(reference, key.namespace)) left.push(reference);
    }
    if (left.length === references.length) return;
    if (left.length === 0) await this.#delete(stored, background);
    else await this.#update(stored, { ownerReferences: left });
  }

  /** Also true for owners of kinds that are not served, because nothing is known about them. */
  async #exists(reference: OwnerReference, namespace: string): Promise<boolean> {
    const kind = this.#deps.catalog.byName(reference.apiVersion, reference.kind);
    if (kind === undefined) return true;
    const place = kind.scope === 'Cluster' ? '' : namespace;
    const key = { collection: collectionOf(kind), namespace: place, name: reference.name };
    const owner = await this.#deps.store.get(key);
    return owner !== undefined && owner.object.metadata.uid === reference.uid;
  }

  /** Takes one step with a marked object: deletes its dependents or its content, then itself. */
  async #finish(key: ObjectKey): Promise<void> {
    const stored = await this.#deps.store.get(key);
    const { deletionTimestamp, finalizers = [] } = stored?.object.metadata ?? {};
    if (stored === undefined || deletionTimestamp === undefined) {
      this.#waiting.delete(pathOf(key));
      return;
    }
    if (finalizers.includes(ORPHAN)) await this.#orphan(stored);
    else if (finalizers.includes(FOREGROUND)) await this.#deleteBlocking(stored);
    else if (finalizers.includes(CUSTOM_RESOURCES)) await this.#emptyDefinition(stored);
    else if (key.collection === namespaces && finalizers.length === 0) await this.#emptyNamespace(stored);
  }

  async #orphan(owner: StoredObject): Promise<void> {
    const { uid = '' } = owner.object.metadata;
    for (const key of this.#owners.dependentsOf(uid)) {
      const stored = await this.#deps.store.get(key);
      const references = stored?.object.metadata.ownerReferences ?? [];
      if (stored !== undefined && references.some((one) => one.uid === uid))
        await this.#update(stored, { ownerReferences: references.filter((one) => one.uid !== uid) });
    }
    await this.#release(owner, ORPHAN);
  }

  async #deleteBlocking(owner: StoredObject): Promise<void> {
    const { uid = '' } = owner.object.metadata;
    let blocking = 0;
    for (const key of this.#owners.dependentsOf(uid)) {
      const stored = await this.#deps.store.get(key);
      const reference = stored?.object.metadata.ownerReferences?.find((one) => one.uid === uid);
      if (stored === undefined || reference === undefined) continue;
      if (reference.blockOwnerDeletion === true) blocking += 1;
      await this.#delete(stored, { ...background, propagation: 'Foreground' });
    }
    if (blocking === 0) await this.#release(owner, FOREGROUND);
  }

  async #emptyDefinition(definition: StoredObject): Promise<void> {
    const { name } = definition.key;
    const isServed = this.#deps.catalog.collections().some((kind) => collectionOf(kind) === name);
    const isBuiltIn = this.#deps.catalog.isBuiltIn(name);
    if (isServed && !isBuiltIn && !(await this.#empty(name))) return;
    await this.#release(definition, CUSTOM_RESOURCES);
  }

  async #emptyNamespace(namespace: StoredObject): Promise<void> {
    const kinds = this.#deps.catalog.collections().filter(({ scope }) => scope !== 'Cluster');
    let isEmpty = true;
    for (const kind of kinds)
      isEmpty = (await this.#empty(collectionOf(kind), namespace.key.name)) && isEmpty;
    if (!isEmpty) return;
    const { key, revision: expectedRevision } = namespace;
    await this.#deps.store.commit([{ operation: 'delete', key, expectedRevision }]);
  }

  /** True if nothing is left, including objects that wait for finalizers. */
  async #empty(collection: string, namespace?: string): Promise<boolean> {
    let left = 0;
    for await (const stored of eachStored(this.#deps.store, collection, namespace)) {
      left += 1;
      await this.#delete(stored, background);
    }
    return left === 0 || (await this.#isEmpty(collection, namespace));
  }

  async #isEmpty(collection: string, namespace?: string): Promise<boolean> {
    const one = { collection, limit: 1, ...(namespace === undefined ? {} : { namespace }) };
    return (await this.#deps.store.list(one)).items.length === 0;
  }

  async #delete({ key, object }: StoredObject, options: DeleteOptions): Promise<void> {
    const kind = this.#deps.catalog.byName(object.apiVersion, object.kind);
    const { uid, deletionTimestamp } = object.metadata;
    if (kind === undefined || deletionTimestamp !== undefined) return;
    const place = kind.scope === 'Cluster' ? {} : { namespace: key.namespace };
    const preconditions = uid === undefined ? {} : { uid };
    try {
      await deleteObject(this.#deps, { kind, ...place, name: key.name }, { ...options, preconditions });
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.reason === 'NotFound') return;
      throw thrown;
    }
  }

  /** Fails on a conflict; the queue retries. */
  async #update(stored: StoredObject, fields: Partial<Resource['metadata']>): Promise<void> {
    const object = { ...stored.object, metadata: { ...stored.object.metadata, ...fields } };
    const { key, revision: expectedRevision } = stored;
    const result = await this.#deps.store.commit([{ operation: 'update', key, object, expectedRevision }]);
    if (!result.ok && result.reason !== 'not-found') throw new Error(result.message);
  }

  async #release(stored: StoredObject, finalizer: string): Promise<void> {
    const finalizers = (stored.object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const { key, revision: expectedRevision } = stored;
    const staysAsNamespace = key.collection === namespaces;
    if (finalizers.length > 0 || staysAsNamespace) return this.#update(stored, { finalizers });
    const result = await this.#deps.store.commit([{ operation: 'delete', key, expectedRevision }]);
    if (!result.ok && result.reason !== 'not-found') throw new Error(result.message);
  }
}

function pathOf({ collection, namespace, name }: ObjectKey): string {
  return `${collection}/${namespace}/${name}`;
}
