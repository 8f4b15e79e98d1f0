/** The store as it is, with the time that its commits take. */
import type { Clock } from '@tinkerbell/platform-contract';
import type {
  CommitResult,
  ListQuery,
  ObjectKey,
  Store,
  WatchHandlers,
  WatchQuery,
  Write,
} from '@tinkerbell/store-contract';
import type { createStoreMetrics } from './server-metrics.ts';

type StoreMetrics = ReturnType<typeof createStoreMetrics>;

/** Commits are counted in `metrics` by what became of them. */
export function createTimedStore(store: Store, clock: Clock, metrics: StoreMetrics): Store {
  const count = (outcome: string, startedMs: number): void =>
    metrics.commitSeconds.observe({ outcome }, (clock.monotonicMs() - startedMs) / 1000);
  return {
    get: (key: ObjectKey) => store.get(key),
    list: (query: ListQuery) => store.list(query),
    watch: (query: WatchQuery, handlers: WatchHandlers) => store.watch(query, handlers),
    revision: () => store.revision(),
    close: () => store.close(),
    async commit(writes: readonly Write[]): Promise<CommitResult> {
      const startedMs = clock.monotonicMs();
      const result = await store.commit(writes);
      count(result.ok ? 'committed' : result.reason, startedMs);
      return result;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
