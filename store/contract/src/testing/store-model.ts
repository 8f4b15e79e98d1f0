/**
 * The contract of a store as plain values, written independently of the code that stores share. It defines the answer to each
 * call.
 */
import type { Resource } from '@tinkerbell/resources';
import type {
  Change,
  CommitResult,
  ListQuery,
  ObjectKey,
  StoredObject,
  WatchQuery,
  Write,
} from '../index.ts';

/** Returns what a store that keeps `changesKept` changes must contain after the commits so far. */
export class StoreModel {
  readonly changesKept: number;
  /** Contains all changes. The first one has revision 1. */
  readonly #changes: Change[] = [];

  constructor(changesKept: number) {
    this.changesKept = changesKept;
  }

  get revision(): number {
    return this.#changes.length;
  }

  /** The last change of a key determines the current object. */
  get(key: ObjectKey): StoredObject | undefined {
    const last = this.#changes.findLast((change) => sameKey(change.key, key));
    if (last === undefined || last.type === 'deleted') return undefined;
    return { key: last.key, revision: last.revision, object: last.object };
  }

  /** Returns everything that a query matches, without its limit. */
  list({ collection, namespace, after }: ListQuery): readonly StoredObject[] {
    const keys = this.#changes.filter(({ type }) => type === 'added').map(({ key }) => key);
    const distinct = new Map(keys.map((key) => [sortKey(key), key]));
    return [...distinct.values()]
      .filter((key) => key.collection === collection && (namespace ?? key.namespace) === key.namespace)
      .filter((key) => after === undefined || sortKey(key) > sortKey({ collection, ...after }))
      .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
      .flatMap((key) => this.get(key) ?? []);
  }

  /** Changes the model and returns the answer. For a refusal, it returns the reason and the number of keys. */
  commit(writes: readonly Write[]): Partial<CommitResult> {
    for (const write of writes) {
      const reason = this.#refusalOf(write);
      if (reason !== undefined) return { ok: false, reason, key: write.key };
    }
    for (const write of writes) this.#changes.push(this.#changeOf(write));
    const objects = this.#changes
      .slice(-writes.length)
      .map(({ key, revision, object }) => ({ key, revision, object }));
    return { ok: true, revision: this.revision, objects };
  }

  changesOf({ collection, namespace, fromRevision }: WatchQuery): readonly Change[] {
    return this.#changes.filter(
      ({ key, revision }) =>
        revision > fromRevision &&
        (collection ?? key.collection) === key.collection &&
        (namespace ?? key.namespace) === key.namespace,
    );
  }

  #refusalOf(write: Write): 'already-exists' | 'not-found' | 'conflict' | undefined {
    const current = this.get(write.key);
    if (write.operation === 'create') return current === undefined ? undefined : 'already-exists';
    if (current === undefined) return 'not-found';
    return current.revision === write.expectedRevision ? undefined : 'conflict';
  }

  #changeOf(write: Write): Change {
    const revision = this.revision + 1;
    const { key } = write;
    const stamped = (object: Resource | undefined): Resource => {
      if (object === undefined) throw new Error('the model deletes nothing');
      return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    };
    switch (write.operation) {
      case 'create':
        return { type: 'added', key, revision, object: stamped(write.object) };
      case 'update':
        return { type: 'modified', key, revision, object: stamped(write.object) };
      case 'delete':
        return { type: 'deleted', key, revision, object: stamped(this.get(key)?.object) };
    }
  }
}

function sameKey(one: ObjectKey, other: ObjectKey): boolean {
  return sortKey(one) === sortKey(other);
}

/** NUL sorts before every character of a name, so that `a` comes before `a-b`. */
function sortKey({ collection, namespace, name }: ObjectKey): string {
  return [collection, namespace, name].join('\0');
}
