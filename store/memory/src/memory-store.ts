/** The store in memory, for tests and simulation. It is the simplest implementation of the contract. */
import {
  changeOf,
  refusalOf,
  WatchHub,
  type Change,
  type CommitResult,
  type ListQuery,
  type ObjectKey,
  type ObjectList,
  type Store,
  type StoredObject,
  type WatchHandlers,
  type WatchQuery,
  type WatchResult,
  type Write,
} from '@tinkerbell/store-contract';

export interface MemoryStoreOptions {
  /** How many changes a watch can go back. */
  readonly changesKept?: number;
}

const CHANGES_KEPT = 10_000;

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.changesKept ?? CHANGES_KEPT);
}

class MemoryStore implements Store {
  readonly #objects = new Map<string, StoredObject>();
  readonly #changes: Change[] = [];
  readonly #hub = new WatchHub();
  readonly #changesKept: number;
  #revision = 0;

  constructor(changesKept: number) {
    this.#changesKept = changesKept;
  }

  get(key: ObjectKey): Promise<StoredObject | undefined> {
    return Promise.resolve(this.#objects.get(textOf(key)));
  }

  list(query: ListQuery): Promise<ObjectList> {
    const { after, limit = Infinity } = query;
    const matching = [...this.#objects.values()]
      .filter((one) => one.key.collection === query.collection)
      .filter((one) => query.namespace === undefined || one.key.namespace === query.namespace)
      .filter((one) => after === undefined || compare(one.key, after) > 0)
      .toSorted((a, b) => compare(a.key, b.key));
    const items = matching.slice(0, limit);
    const last = items.at(-1)?.key;
    const more = matching.length > items.length && last !== undefined;
    return Promise.resolve({
      items,
      revision: this.#revision,
      ...(more ? { next: { namespace: last.namespace, name: last.name } } : {}),
    });
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    for (const write of writes) {
      const refusal = refusalOf(write, this.#objects.get(textOf(write.key)));
      if (refusal !== undefined) return Promise.resolve(refusal);
    }
    const changes = writes.map((write) => this.#apply(write));
    this.#changes.push(...changes);
    this.#changes.splice(0, this.#changes.length - this.#changesKept);
    this.#hub.publish(changes);
    const objects = changes.map(({ key, revision, object }) => ({ key, revision, object }));
    return Promise.resolve({ ok: true, revision: this.#revision, objects });
  }

  #apply(write: Write): Change {
    this.#revision += 1;
    const key = textOf(write.key);
    const change = changeOf(write, this.#objects.get(key), this.#revision);
    if (change.type === 'deleted') this.#objects.delete(key);
    else this.#objects.set(key, { key: change.key, revision: change.revision, object: change.object });
    return change;
  }

  watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    const oldest = this.#revision - this.#changes.length;
    if (query.fromRevision < oldest) {
      return Promise.resolve({ ok: false, reason: 'compacted', oldestRevision: oldest });
    }
    const missed = this.#changes.filter((change) => change.revision > query.fromRevision);
    return Promise.resolve({ ok: true, stop: this.#hub.add(query, handlers, missed) });
  }

  revision(): Promise<number> {
    return Promise.resolve(this.#revision);
  }

  close(): Promise<void> {
    this.#hub.end('the store was closed');
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function textOf(key: ObjectKey): string {
  return `${key.collection}\n${key.namespace}\n${key.name}`;
}

function compare(a: { namespace: string; name: string }, b: { namespace: string; name: string }): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
