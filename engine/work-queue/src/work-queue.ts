import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Counter, CounterChild, Gauge } from '@tinkerbell/platform-metrics';

/** The result of a piece of work: done, or due again at a time of the clock. */
export type Again = { readonly atMs: number } | undefined;

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 30_000;
/** Limit of background keys per namespace. Its other keys wait until one of them returns. */
const ASIDE_MAX = 64;
/** Concurrent keys: for added keys, and for due keys. Slow added keys therefore delay no deadline. */
const AT_ONCE = 8;

export interface QueueMetrics {
  readonly reconciled: Counter;
  readonly reconcileErrors: Counter;
  readonly waiting: Gauge;
}

type Lane = 'added' | 'due';

interface Timer {
  /** When the work is due. The timer itself may end before that, and then begins again. */
  atMs: number;
  /** On the monotonic clock, because the other one may be set. */
  readonly endsMs: number;
  readonly cancel: () => void;
}

interface QueueDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: QueueMetrics;
  /** The name of a key in the log. */
  readonly kind: string;
  /** For work that mostly waits. Default: 8. */
  readonly atOnce?: number;
}

/** The slot of a running key. */
export interface Place {
  /** Waits for slow work without occupying a slot. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/**
 * Runs work by key, one at a time for each key and a few keys at once. Namespaces take turns. A key added while it runs is run
 * again. Failures are retried with growing delays.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kind: string;
  readonly #atOnce: number;
  readonly #work: (key: string, place: Place) => Promise<Again>;
  readonly #waiting: Readonly<Record<Lane, WaitingKeys>> = {
    added: new WaitingKeys(),
    due: new WaitingKeys(),
  };
  /** Running keys that wait in the background. */
  readonly #aside: Readonly<Record<Lane, Map<string, number>>> = { added: new Map(), due: new Map() };
  readonly #running: Readonly<Record<Lane, Map<string, Promise<void>>>> = {
    added: new Map(),
    due: new Map(),
  };
  readonly #dirty = new Map<string, Lane>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  /** Number of background keys by namespace. */
  readonly #giveUps = new Set<(reason: Error) => void>();
  #closed = false;
  readonly #done: CounterChild;
  readonly #failed: CounterChild;

  constructor(
    { clock, log, metrics, kind, atOnce = AT_ONCE }: QueueDeps,
    work: (key: string, place: Place) => Promise<Again>,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#kind = kind;
    this.#atOnce = atOnce;
    this.#work = work;
    this.#done = metrics.reconciled.with();
    this.#failed = metrics.reconcileErrors.with();
    metrics.waiting.from(() => this.#waiting.added.size + this.#waiting.due.size);
  }

  add(key: string): void {
    this.#enter(key, 'added');
  }

  /** For a caller that knows what the work would return now. Work that waits or runs decides by itself. */
  expect(key: string, again: Again): void {
    if (this.#isRunning(key)) this.#enter(key, 'added');
    else if (!this.#waiting.due.has(key) && !this.#waiting.added.has(key)) this.#later(key, again);
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
    const [waiting, running, aside] = [this.#waiting[lane], this.#running[lane], this.#aside[lane]];
    // Slow work never delays a deadline, not even of its own namespace.
    const mayBegin = (namespace: string): boolean =>
      lane === 'due' || (aside.get(namespace) ?? 0) < ASIDE_MAX;
    for (;;) {
      const away = aside.values().reduce((sum, count) => sum + count, 0);
      if (running.size - away >= this.#atOnce) return;
      const key = waiting.take(mayBegin);
      if (key === undefined) return;
      // Started in a later turn, so that the key counts as running before its work starts.
      running.set(
        key,
        Promise.resolve().then(() => this.#run(key, lane)),
      );
    }
  }

  async #run(key: string, lane: Lane): Promise<void> {
    this.#later(key, await this.#attempt(key, lane));
    this.#running[lane].delete(key);
    const again = this.#dirty.get(key);
    this.#dirty.delete(key);
    if (again !== undefined) this.#enter(key, again);
    if (!this.#closed) this.#begin(lane);
  }

  async #attempt(key: string, lane: Lane): Promise<Again> {
    try {
      const again = await this.#work(key, { aside: (wait) => this.#waitAside(key, lane, wait) });
      this.#failures.delete(key);
      this.#done.add();
      return again;
    } catch (thrown) {
      if (this.#closed) return undefined;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#failed.add();
      this.#log.error('reconcile failed', { [this.#kind]: key, failures, error: String(thrown) });
      return { atMs: this.#clock.nowMs() + Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures) };
    }
  }

  async #waitAside<Result>(key: string, lane: Lane, wait: () => Promise<Result>): Promise<Result> {
    const [namespace, aside] = [namespaceOf(key), this.#aside[lane]];
    aside.set(namespace, (aside.get(namespace) ?? 0) + 1);
    const { promise: closing, reject } = Promise.withResolvers<never>();
    this.#giveUps.add(reject);
    if (this.#closed) reject(new Error('closed'));
    try {
      const result = wait();
      if (!this.#closed) this.#begin(lane);
      // Slow work does not delay the shutdown of the server.
      return await Promise.race([result, closing]);
    } finally {
      this.#giveUps.delete(reject);
      const left = (aside.get(namespace) ?? 1) - 1;
      if (left === 0) aside.delete(namespace);
      else aside.set(namespace, left);
    }
  }

  #later(key: string, again: Again): void {
    const timer = this.#timers.get(key);
    // Most deadlines only move on, and a timer for each would be garbage soon.
    if (timer !== undefined && again !== undefined && this.#endOf(again.atMs) >= timer.endsMs) {
      timer.atMs = again.atMs;
      return;
    }
    timer?.cancel();
    this.#timers.delete(key);
    if (again !== undefined && !this.#closed) this.#wait(key, again.atMs);
  }

  #endOf(atMs: number): number {
    return this.#clock.monotonicMs() + atMs - this.#clock.nowMs();
  }

  #wait(key: string, atMs: number): void {
    const cancel = this.#clock.schedule(atMs - this.#clock.nowMs(), () => {
      const dueMs = this.#timers.get(key)?.atMs ?? atMs;
      this.#timers.delete(key);
      if (dueMs > atMs) this.#wait(key, dueMs);
      else this.#enter(key, 'due');
    });
    this.#timers.set(key, { atMs, endsMs: this.#endOf(atMs), cancel });
  }

  /** Cancels timers, and resolves when running work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const giveUp of this.#giveUps) giveUp(new Error('closed'));
    await Promise.all([...this.#running.added.values(), ...this.#running.due.values()]);
  }
}

function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('/')));
}

/** Keys by namespace, which take turns; within one, in the order in which they were added. */
class WaitingKeys {
  readonly #namespaces = new Map<string, Set<string>>();

  get size(): number {
    let size = 0;
    for (const keys of this.#namespaces.values()) size += keys.size;
    return size;
  }

  has(key: string): boolean {
    return this.#namespaces.get(namespaceOf(key))?.has(key) === true;
  }

  add(key: string): void {
    const namespace = namespaceOf(key);
    this.#namespaces.set(namespace, (this.#namespaces.get(namespace) ?? new Set()).add(key));
  }

  delete(key: string): void {
    const namespace = namespaceOf(key);
    const keys = this.#namespaces.get(namespace);
    if (keys?.delete(key) === true && keys.size === 0) this.#namespaces.delete(namespace);
  }

  take(mayBegin: (namespace: string) => boolean): string | undefined {
    for (const [namespace, keys] of this.#namespaces) {
      if (!mayBegin(namespace)) continue;
      this.#namespaces.delete(namespace);
      const [key] = keys;
      if (key === undefined) continue;
      keys.delete(key);
      if (keys.size > 0) this.#namespaces.set(namespace, keys);
      return key;
    }
    return undefined;
  }
}
