/** Passes changes to the watchers of one process. Stores publish into it in order of revision. */
import type { Change, WatchHandlers, WatchQuery } from './store.ts';

interface Watcher {
  readonly query: Omit<WatchQuery, 'fromRevision'>;
  readonly handlers: WatchHandlers;
}

export class WatchHub {
  readonly #watchers = new Set<Watcher>();

  /** Calls the watcher first for `missed`, then for everything published later. */
  add(
    query: Omit<WatchQuery, 'fromRevision'>,
    handlers: WatchHandlers,
    missed: readonly Change[],
  ): () => void {
    const watcher: Watcher = { query, handlers };
    for (const change of missed) {
      if (concerns(watcher.query, change)) handlers.onChange(change);
    }
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  publish(changes: readonly Change[]): void {
    for (const change of changes) {
      for (const watcher of this.#watchers) {
        if (concerns(watcher.query, change)) this.#tell(watcher, change);
      }
    }
  }

  /** A watcher that fails is ended and may list again. The other watchers and the writer are not affected. */
  #tell(watcher: Watcher, change: Change): void {
    try {
      watcher.handlers.onChange(change);
    } catch (thrown) {
      this.#watchers.delete(watcher);
      watcher.handlers.onEnd(`the watcher failed: ${String(thrown)}`);
    }
  }

  end(reason: string): void {
    for (const watcher of this.#watchers) watcher.handlers.onEnd(reason);
    this.#watchers.clear();
  }
}

function concerns(query: Omit<WatchQuery, 'fromRevision'>, change: Change): boolean {
  return (
    (query.collection === undefined || query.collection === change.key.collection) &&
    (query.namespace === undefined || query.namespace === change.key.namespace)
  );
}
