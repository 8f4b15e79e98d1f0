/** List, then watch, then list again when the watch is lost: how the API keeps what it derives from objects. */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Change, Store, StoredObject } from '@tinkerbell/store-contract';

export interface FollowDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked for each list; a single one is also the only one that is watched. */
  readonly collections: () => readonly string[];
}

export interface Followers {
  /** Of each object that exists, then of each that is written; some may come twice. */
  onObject(stored: StoredObject): void;
  onDeleted(change: Change): void;
  /** Before each list: what is not told until `onListed` is there no more. */
  onListing?(): void;
  onListed?(): void;
}

const RETRY_MS = 1000;
const PAGE = 500;

/** Resolves when everything that exists was told; goes on until the signal. Rejects when the first list fails. */
export async function followStore(
  deps: FollowDeps,
  followers: Followers,
  signal: AbortSignal,
): Promise<void> {
  let { ended } = await begin(deps, followers, signal);
  void (async () => {
    while (!signal.aborted) {
      const reason = await ended;
      if (signal.aborted) return;
      deps.log.warn('api lost its watch and lists again', { reason });
      await new Promise<void>((resolve) => deps.clock.schedule(RETRY_MS, resolve));
      try {
        ({ ended } = await begin(deps, followers, signal));
      } catch (thrown) {
        ended = Promise.resolve(String(thrown));
      }
    }
  })();
}

/** Resolves once listed; `ended` resolves with the reason when the watch ends. */
async function begin(
  deps: FollowDeps,
  followers: Followers,
  signal: AbortSignal,
): Promise<{ ended: Promise<string> }> {
  const { store } = deps;
  const collections = deps.collections();
  const fromRevision = await store.revision();
  followers.onListing?.();
  for (const collection of collections) {
    for await (const stored of eachStored(store, collection)) followers.onObject(stored);
  }
  followers.onListed?.();
  const { promise, resolve } = Promise.withResolvers<string>();
  const only = collections.length === 1 ? { collection: collections[0] ?? '' } : {};
  const watch = await store.watch(
    { ...only, fromRevision },
    {
      onChange: (change) =>
        change.type === 'deleted' ? followers.onDeleted(change) : followers.onObject(change),
      onEnd: resolve,
    },
  );
  if (!watch.ok) return { ended: Promise.resolve('compacted') };
  signal.addEventListener('abort', () => {
    watch.stop();
    resolve('stopped');
  });
  return { ended: promise };
}

/** Every object of a collection, read in pages; of one namespace when named. */
export async function* eachStored(
  store: Store,
  collection: string,
  namespace?: string,
): AsyncGenerator<StoredObject> {
  let after: { namespace: string; name: string } | undefined;
  do {
    const page = await store.list({
      collection,
      limit: PAGE,
      ...(namespace === undefined ? {} : { namespace }),
      ...(after === undefined ? {} : { after }),
    });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
