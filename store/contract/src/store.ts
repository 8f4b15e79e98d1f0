/**
 * The contract of every store. There is one revision, which only increases. Each write gets the next one, and an object's
 * `resourceVersion` is the revision of its last write as text. The writes of one `commit` are atomic, and succeed only if every
 * expected revision still matches. A watch delivers every change after a revision, in order, exactly once. A successful commit is
 * durable before its promise resolves. The memory store is the exception: it lives as long as the process.
 */
import type { Resource } from '@tinkerbell/resources';

export interface ObjectKey {
  /** `hardware.tinkerbell.org` */
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
}

export interface StoredObject<Object extends Resource = Resource> {
  readonly key: ObjectKey;
  readonly revision: number;
  /** `metadata.resourceVersion` is filled in. Do not change the object. */
  readonly object: Object;
}

export type Write =
  | { readonly operation: 'create'; readonly key: ObjectKey; readonly object: Resource }
  | {
      readonly operation: 'update';
      readonly key: ObjectKey;
      readonly object: Resource;
      /** The revision that was read. */
      readonly expectedRevision: number;
    }
  | { readonly operation: 'delete'; readonly key: ObjectKey; readonly expectedRevision: number };

export type CommitResult =
  | {
      readonly ok: true;
      readonly revision: number;
      readonly objects: readonly StoredObject[];
      /** As JSON, those of the objects that the store has encoded for itself. Another object, such as a decrypted copy, has none. */
      readonly texts?: ReadonlyMap<Resource, string>;
    }
  | {
      readonly ok: false;
      /** `unavailable`: nothing was written, and the request itself may be valid. Try again later. */
      readonly reason: 'conflict' | 'already-exists' | 'not-found' | 'unavailable';
      readonly key: ObjectKey;
      readonly message: string;
    };

/** Within a collection. The namespace is empty for a kind without namespaces. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

export interface ListQuery {
  readonly collection: string;
  /** Selects all namespaces when absent. */
  readonly namespace?: string;
  /** The maximum number of objects. `next` then contains the key from which to continue. */
  readonly limit?: number;
  /** The last key of the previous page. */
  readonly after?: NamespacedName;
}

export interface ObjectList {
  /** Sorted by namespace and name, in byte order. */
  readonly items: readonly StoredObject[];
  /** The store's revision when the list was read. */
  readonly revision: number;
  readonly next?: NamespacedName;
}

export interface Change<Object extends Resource = Resource> {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly key: ObjectKey;
  readonly revision: number;
  /** The new object. For `deleted`, the last object, with the revision of the deletion. */
  readonly object: Object;
}

export interface WatchQuery {
  /** Selects all collections when absent. */
  readonly collection?: string;
  readonly namespace?: string;
  /** Selects changes after this revision. */
  readonly fromRevision: number;
}

export interface WatchHandlers {
  onChange(change: Change): void;
  /** Resolves when the watch has ended and no change follows: the store closed, or it lost its connection. */
  onEnd(reason: string): void;
}

export type WatchResult =
  | { readonly ok: true; readonly stop: () => void }
  /** The changes since `fromRevision` are no longer kept. List again. */
  | { readonly ok: false; readonly reason: 'compacted'; readonly oldestRevision: number };

export interface Store extends AsyncDisposable {
  get(key: ObjectKey): Promise<StoredObject | undefined>;
  list(query: ListQuery): Promise<ObjectList>;
  commit(writes: readonly Write[]): Promise<CommitResult>;
  watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult>;
  /** The revision of the last write. */
  revision(): Promise<number>;
  /** Ends all watches and releases all resources, after a commit in progress has finished. */
  close(): Promise<void>;
}

export function formatKey(key: ObjectKey): string {
  if (key === last.key) return last.text;
  const text = `${key.collection} ${key.namespace}/${key.name}`;
  last = { key, text };
  return text;
}

/** A store looks up the same key several times for a write, and each new text costs more than its lookup. */
let last: { readonly key: ObjectKey | undefined; readonly text: string } = { key: undefined, text: '' };
