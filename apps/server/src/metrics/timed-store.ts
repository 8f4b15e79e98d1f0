/** The store as it is, with the time that its commits take. */
import type { Clock } from '@tinkerbell/platform-contract';
import { MetricSet, type MetricFamilies } from '@tinkerbell/platform-metrics';
import type {
  CommitResult,
  ListQuery,
  ObjectKey,
  Store,
  WatchHandlers,
  WatchQuery,
  Write,
} from '@tinkerbell/store-contract';
import { createStoreMetrics } from './server-metrics.ts';

export interface TimedStore extends Store {
  readonly metrics: MetricFamilies;
}

export function createTimedStore(store: Store, clock: Clock): TimedStore {
  const metrics = new MetricSet();
  const { commitSeconds } = createStoreMetrics(metrics);
  const count = (outcome: string, startedMs: number): void =>
    commitSeconds.observe({ outcome }, (clock.monotonicMs() - startedMs) / 1000);
  return {
    metrics,
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
