/** The store as it is, with the time that its commits take. */
import { Histogram, type Clock } from '@tinkerbell/platform-contract';
import type { Sample } from '@tinkerbell/platform-telemetry';
import type {
  CommitResult,
  ListQuery,
  ObjectKey,
  Store,
  WatchHandlers,
  WatchQuery,
  Write,
} from '@tinkerbell/store-contract';

/** From a commit in memory, a tenth of a millisecond, to one that waits for a disk that is busy. */
const BOUNDS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

export interface TimedStore extends Store {
  /** What `/metrics` shows. */
  samples(): readonly Sample[];
}

export function createTimedStore(store: Store, clock: Clock): TimedStore {
  const histograms = new Map<string, Histogram>();
  const count = (outcome: string, startedMs: number): void => {
    let histogram = histograms.get(outcome);
    if (histogram === undefined) histograms.set(outcome, (histogram = new Histogram(BOUNDS_SECONDS)));
    histogram.observe((clock.monotonicMs() - startedMs) / 1000);
  };
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
    samples: () =>
      [...histograms].flatMap(([outcome, histogram]) =>
        Object.entries(histogram.samples('tinkerbell_store_commit_seconds', `outcome="${outcome}"`)),
      ),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
