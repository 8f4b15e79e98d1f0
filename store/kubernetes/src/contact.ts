/** Records whether the cluster is reachable, and how often it was not, for `/readyz` and `/metrics`. */
import type { Clock } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { createClusterMetrics } from './metrics.ts';

/** The reason for a retry. */
export type RetryReason = 'too-many-requests' | 'server-error' | 'connection';

const RETRY_REASONS: readonly RetryReason[] = ['too-many-requests', 'server-error', 'connection'];

interface Trouble {
  readonly sinceMs: number;
  readonly reason: string;
}

export class Contact {
  readonly #clock: Clock;
  /** The failures, by kind: requests, or the watch of a collection. */
  readonly #troubles = new Map<string, Trouble>();
  readonly metrics = new MetricSet();
  readonly #counts = createClusterMetrics(this.metrics);
  readonly #restarts = this.#counts.watchRestarts.with();
  readonly #relists = this.#counts.relists.with();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#counts.inTouch.from(() => (this.#troubles.size === 0 ? 1 : 0));
    // Zeros before the first failure, because a rate needs an initial value.
    for (const reason of RETRY_REASONS) this.#counts.retries.with({ reason });
  }

  failed(what: string, reason: string): void {
    const sinceMs = this.#troubles.get(what)?.sinceMs ?? this.#clock.monotonicMs();
    this.#troubles.set(what, { sinceMs, reason });
  }

  succeeded(what: string): void {
    this.#troubles.delete(what);
  }

  retried(reason: RetryReason): void {
    this.#counts.retries.add({ reason });
  }

  restarted(): void {
    this.#restarts.add();
  }

  relisted(): void {
    this.#relists.add();
  }

  /** Undefined while there is no problem. */
  failure(): string | undefined {
    const [first, ...others] = this.#troubles.values();
    if (first === undefined) return undefined;
    const seconds = Math.round((this.#clock.monotonicMs() - first.sinceMs) / 1000);
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return `${first.reason} (for ${seconds} s${more})`;
  }
}
