/**
 * Lists objects, watches them, and lists again when the watch is lost. Everything derived from objects is kept up to date this
 * way.
 */
import { delay, type Clock, type Log } from '@tinkerbell/platform-contract';
import type { ListQuery, Store, StoredObject, WatchHandlers, WatchQuery } from './store.ts';

const RETRY_MS = 1000;
const PAGE = 500;

export interface KeepListingDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Appears in the log: `view lost its watch and lists again`. */
  readonly who: string;
}

/** A completed list, and the reason why its watch ended, once it has ended. */
export interface Listed {
  readonly ended: Promise<string>;
}

/** Resolves when the first list is complete, and continues until the signal aborts. Rejects when the first list fails. */
export async function keepListing(
  { clock, log, who }: KeepListingDeps,
  listAndWatch: () => Promise<Listed>,
  signal: AbortSignal,
): Promise<void> {
  let { ended } = await listAndWatch();
  void (async () => {
    while (!signal.aborted) {
      const reason = await ended;
      if (signal.aborted) return;
      log.warn(`${who} lost its watch and lists again`, { reason });
      await delay(clock, RETRY_MS, signal);
      try {
        ({ ended } = await listAndWatch());
      } catch (thrown) {
        ended = Promise.resolve(String(thrown));
      }
    }
  })();
}

/** Watches until the signal aborts or the store ends the watch. */
export async function watchUntil(
  store: Store,
  query: WatchQuery,
  { onChange, signal }: Pick<WatchHandlers, 'onChange'> & { readonly signal: AbortSignal },
): Promise<Listed> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const watch = await store.watch(query, { onChange, onEnd: resolve });
  if (!watch.ok) return { ended: Promise.resolve('compacted') };
  signal.addEventListener('abort', () => {
    watch.stop();
    resolve('stopped');
  });
  return { ended: promise };
}

/** Yields every object of a collection in pages, so that not all of their texts are in memory at once. */
export async function* eachPage(
  store: Store,
  query: Pick<ListQuery, 'collection' | 'namespace' | 'limit'>,
): AsyncGenerator<readonly StoredObject[], void, undefined> {
  for (let after: ListQuery['after']; ;) {
    const page = await store.list({ limit: PAGE, ...query, ...(after === undefined ? {} : { after }) });
    yield page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}
