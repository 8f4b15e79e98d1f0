/** The store as the API shows it: includes the built-in ClusterRoles, and hides objects that no user may read. */
import { clusterRoleKind, collectionOf } from '@tinkerbell/resources';
import type {
  Change,
  CommitResult,
  ListQuery,
  ObjectKey,
  ObjectList,
  Store,
  StoredObject,
  WatchHandlers,
  WatchQuery,
  WatchResult,
  Write,
} from '@tinkerbell/store-contract';
import { builtInClusterRoles } from './built-in-cluster-roles.ts';

const roles = collectionOf(clusterRoleKind);

/** `hidden` objects cannot be read, listed or watched, but their names are taken. */
export function createServedStore(store: Store, hidden: readonly ObjectKey[]): Store {
  return new ServedStore(store, hidden);
}

class ServedStore implements Store {
  readonly #store: Store;
  readonly #hidden: ReadonlySet<string>;
  readonly #collections: ReadonlySet<string>;

  constructor(store: Store, hidden: readonly ObjectKey[]) {
    this.#store = store;
    this.#hidden = new Set(hidden.map(textOf));
    this.#collections = new Set(hidden.map(({ collection }) => collection));
  }

  get(key: ObjectKey): Promise<StoredObject | undefined> {
    if (this.#isHidden(key)) return Promise.resolve(undefined);
    const object = key.collection === roles ? builtInClusterRoles.get(key.name) : undefined;
    return object === undefined ? this.#store.get(key) : Promise.resolve({ key, revision: 1, object });
  }

  async list(query: ListQuery): Promise<ObjectList> {
    const list = await this.#store.list(query);
    if (query.collection === roles) return withBuiltIn(list, query.after?.name ?? '');
    if (!this.#collections.has(query.collection)) return list;
    const items = list.items.filter(({ key }) => !this.#isHidden(key));
    return { ...list, items };
  }

  #isHidden(key: ObjectKey): boolean {
    return this.#collections.has(key.collection) && this.#hidden.has(textOf(key));
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    return this.#store.commit(writes);
  }

  watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    const onChange = (change: Change): void => {
      if (!this.#isHidden(change.key)) handlers.onChange(change);
    };
    return this.#store.watch(query, { onChange, onEnd: (reason) => handlers.onEnd(reason) });
  }

  revision(): Promise<number> {
    return this.#store.revision();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function textOf({ collection, namespace, name }: ObjectKey): string {
  return `${collection} ${namespace} ${name}`;
}

/** Inserts each built-in into the page of its name. That page is longer than requested. */
function withBuiltIn(list: ObjectList, after: string): ObjectList {
  const until = list.next?.name;
  const added = [...builtInClusterRoles]
    .filter(([name]) => name > after && (until === undefined || name <= until))
    .map(([name, object]) => ({ key: { collection: roles, namespace: '', name }, revision: 1, object }));
  const stored = list.items.filter(({ key }) => !builtInClusterRoles.has(key.name));
  const items = [...stored, ...added].toSorted((a, b) => (a.key.name < b.key.name ? -1 : 1));
  return { ...list, items };
}
