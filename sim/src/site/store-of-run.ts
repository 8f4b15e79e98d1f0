import type { Store } from '@tinkerbell/store-contract';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';

export interface StoreFaults {
  /** The longest time that a commit takes, ms. */
  readonly commitMaxMs: number;
  /** The share of commits after which the server crashes before it learns that they are durable. */
  readonly crashAfterCommit: number;
}

export interface StoreOfRun extends Store {
  /** Ends this run of the server: nothing that it has begun continues, and its calls never return. */
  cut(): void;
}

/** The store as one run of the server sees it. The objects are those of `inner` and outlive the run. */
export function storeOfRun(
  inner: Store,
  parts: {
    readonly clock: SimulatedClock;
    readonly random: SeededRandom;
    readonly faults: StoreFaults;
    readonly crash: () => void;
    /** Called for every call, so that a simulation knows that something happens. */
    readonly onCall: () => void;
  },
): StoreOfRun {
  const { clock, random, faults, crash, onCall } = parts;
  let isCut = false;
  const never = new Promise<never>(() => undefined);
  const whileRunning = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    onCall();
    if (isCut) return never;
    const value = await call();
    onCall();
    return isCut ? never : value;
  };
  const pause = (): Promise<void> =>
    new Promise((resolve) => void clock.schedule(random.between(0, faults.commitMaxMs / 2), resolve));
  return {
    get: (key) => whileRunning(() => inner.get(key)),
    list: (query) => whileRunning(() => inner.list(query)),
    revision: () => whileRunning(() => inner.revision()),
    commit: (writes) =>
      whileRunning(async () => {
        await pause();
        if (isCut) return never;
        const result = await inner.commit(writes);
        if (result.ok && random.happens(faults.crashAfterCommit)) crash();
        await pause();
        return result;
      }),
    watch: (query, handlers) =>
      whileRunning(() =>
        inner.watch(query, {
          onChange(change) {
            onCall();
            if (!isCut) handlers.onChange(change);
          },
          onEnd(reason) {
            if (!isCut) handlers.onEnd(reason);
          },
        }),
      ),
    close: () => Promise.resolve(),
    cut() {
      isCut = true;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
