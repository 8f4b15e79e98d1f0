import type { Clock, Log } from '@tinkerbell/platform-contract';

/** What a piece of work wants next: nothing, or to be done again at a time of the clock. */
export type Again = { readonly atMs: number } | undefined;

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 30_000;

/**
 * Work by key, one at a time for each key. A key added while it is worked on is worked on once more. Failures are
 * retried with growing delays.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #work: (key: string) => Promise<Again>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #dirty = new Set<string>();
  readonly #timers = new Map<string, () => void>();
  readonly #failures = new Map<string, number>();
  #closed = false;
  #done = 0;
  #failed = 0;

  constructor(clock: Clock, log: Log, work: (key: string) => Promise<Again>) {
    this.#clock = clock;
    this.#log = log;
    this.#work = work;
  }

  add(key: string): void {
    if (this.#closed) return;
    if (this.#running.has(key)) {
      this.#dirty.add(key);
      return;
    }
    // Begun in a later turn, so that the key counts as running before its work begins.
    this.#running.set(
      key,
      Promise.resolve().then(() => this.#run(key)),
    );
  }

  async #run(key: string): Promise<void> {
    do {
      this.#dirty.delete(key);
      this.#later(key, await this.#attempt(key));
    } while (this.#dirty.has(key) && !this.#closed);
    this.#running.delete(key);
  }

  async #attempt(key: string): Promise<Again> {
    try {
      const again = await this.#work(key);
      this.#failures.delete(key);
      this.#done += 1;
      return again;
    } catch (thrown) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#failed += 1;
      this.#log.error('reconcile failed', { key, failures, error: String(thrown) });
      return { atMs: this.#clock.nowMs() + Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures) };
    }
  }

  #later(key: string, again: Again): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (again === undefined || this.#closed) return;
    const cancel = this.#clock.schedule(again.atMs - this.#clock.nowMs(), () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, cancel);
  }

  counters(): Record<string, number> {
    return { controller_reconcile_total: this.#done, controller_reconcile_errors_total: this.#failed };
  }

  /** Ends timers, and resolves when running work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.all(this.#running.values());
  }
}
