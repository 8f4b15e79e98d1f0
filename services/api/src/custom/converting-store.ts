/**
 * The store in one version of a kind. All versions of a custom kind share one stored form (conversion strategy None): reads return
 * the apiVersion of the path and the fields of its schema, and writes use those of the stored version.
 */
import { inTurns } from '@tinkerbell/platform-contract';
import { apiVersionOf, collectionOf, prunedTo, type Kind, type Resource } from '@tinkerbell/resources';
import type { Change, Store, StoredObject, Write } from '@tinkerbell/store-contract';

/** Returns the store itself for a kind with one version. */
export function convertingStore(store: Store, kind: Kind): Store {
  const { storedAs } = kind;
  if (storedAs === undefined) return store;
  const collection = collectionOf(kind);
  const shown = async (one: StoredObject): Promise<StoredObject> =>
    one.key.collection === collection ? { ...one, object: await inVersion(kind, one.object) } : one;
  return {
    async get(key) {
      const found = await store.get(key);
      return found === undefined ? undefined : shown(found);
    },
    async list(query) {
      const list = await store.list(query);
      const items: StoredObject[] = [];
      for (const item of list.items) items.push(await shown(item));
      return { ...list, items };
    },
    async commit(writes) {
      const stored: Write[] = [];
      for (const write of writes) stored.push(await inStoredVersion(storedAs, write));
      const result = await store.commit(stored);
      return result.ok ? { ...result, objects: await Promise.all(result.objects.map(shown)) } : result;
    },
    watch(query, handlers) {
      const onChange = (change: Change): void =>
        handlers.onChange({ ...change, object: inVersionNow(kind, change.object) });
      return store.watch(query, { onChange, onEnd: (reason) => handlers.onEnd(reason) });
    },
    revision: () => store.revision(),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function inStoredVersion(storedAs: Kind, write: Write): Promise<Write> {
  return write.operation === 'delete' ? write : { ...write, object: await inVersion(storedAs, write.object) };
}

async function inVersion(kind: Kind, object: Resource): Promise<Resource> {
  return object.apiVersion === apiVersionOf(kind) ? object : inTurns(conversion(kind, object));
}

/** Watches pass on changes immediately, one by one. */
function inVersionNow(kind: Kind, object: Resource): Resource {
  if (object.apiVersion === apiVersionOf(kind)) return object;
  const work = conversion(kind, object);
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}

function* conversion(kind: Kind, object: Resource): Generator<undefined, Resource> {
  const { metadata } = object;
  const shown = yield* prunedTo(kind, { ...object, apiVersion: apiVersionOf(kind) });
  return { ...shown, metadata };
}
