import type { Clock, Log } from '@tinkerbell/platform-contract';

/** What a piece of work wants next: nothing, or to be done again at a time of the clock. */
export type Again = { readonly atMs: number } | undefined;

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 30_000;
/** Keys worked on at once, of those that were added and of those whose time has come: what is slow among the first delays no deadline. */
const AT_ONCE = 8;

type Lane = 'added' | 'due';

/**
 * Work by key, one at a time for each key and a few keys at once. A key added while it is worked on is worked on once more.
 * Failures are retried with growing delays.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #work: (key: string) => Promise<Again>;
  readonly #waiting: Readonly<Record<Lane, Set<string>>> = { added: new Set(), due: new Set() };
  readonly #running: Readonly<Record<Lane, Map<string, Promise<void>>>> = {
    added: new Map(),
    due: new Map(),
  };
  readonly #dirty = new Map<string, Lane>();
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
    this.#enter(key, 'added');
  }

  #enter(key: string, lane: Lane): void {
    if (this.#closed) return;
    if (this.#isRunning(key)) {
      if (this.#dirty.get(key) !== 'due') this.#dirty.set(key, lane);
      return;
    }
    if (this.#waiting.due.has(key)) return;
    if (lane === 'due') this.#waiting.added.delete(key);
    this.#waiting[lane].add(key);
    this.#begin(lane);
  }

  #isRunning(key: string): boolean {
    return this.#running.added.has(key) || this.#running.due.has(key);
  }

  #begin(lane: Lane): void {
    const [waiting, running] = [this.#waiting[lane], this.#running[lane]];
    for (const key of waiting) {
      if (running.size >= AT_ONCE) return;
      waiting.delete(key);
      // Begun in a later turn, so that the key counts as running before its work begins.
      running.set(
        key,
        Promise.resolve().then(() => this.#run(key, lane)),
      );
    }
  }

  async #run(key: string, lane: Lane): Promise<void> {
    this.#later(key, await this.#attempt(key));
    this.#running[lane].delete(key);
    const again = this.#dirty.get(key);
    this.#dirty.delete(key);
    if (again !== undefined) this.#enter(key, again);
    if (!this.#closed) this.#begin(lane);
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
      this.#log.error('reconcile failed', { workflow: key, failures, error: String(thrown) });
      return { atMs: this.#clock.nowMs() + Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures) };
    }
  }

  #later(key: string, again: Again): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (again === undefined || this.#closed) return;
    const cancel = this.#clock.schedule(again.atMs - this.#clock.nowMs(), () => {
      this.#timers.delete(key);
      this.#enter(key, 'due');
    });
    this.#timers.set(key, cancel);
  }

  counters(): Record<string, number> {
    return {
      controller_reconcile_total: this.#done,
      controller_reconcile_errors_total: this.#failed,
      controller_waiting: this.#waiting.added.size + this.#waiting.due.size,
    };
  }

  /** Ends timers, and resolves when running work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.all([...this.#running.added.values(), ...this.#running.due.values()]);
  }
}
