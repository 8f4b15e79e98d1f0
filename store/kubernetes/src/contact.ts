/** Whether the cluster is in touch, and how often it was not: for `/readyz` and `/metrics`. */
import type { Clock } from '@tinkerbell/platform-contract';

/** Why something was asked again. */
export type RetryReason = 'too-many-requests' | 'server-error' | 'connection';

const RETRY_REASONS: readonly RetryReason[] = ['too-many-requests', 'server-error', 'connection'];

interface Trouble {
  readonly sinceMs: number;
  readonly reason: string;
}

export class Contact {
  readonly #clock: Clock;
  /** By what has failed: requests, or the watch of a collection. */
  readonly #troubles = new Map<string, Trouble>();
  readonly #retries = new Map<RetryReason, number>();
  #restarts = 0;
  #relists = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  failed(what: string, reason: string): void {
    const sinceMs = this.#troubles.get(what)?.sinceMs ?? this.#clock.monotonicMs();
    this.#troubles.set(what, { sinceMs, reason });
  }

  succeeded(what: string): void {
    this.#troubles.delete(what);
  }

  retried(reason: RetryReason): void {
    this.#retries.set(reason, (this.#retries.get(reason) ?? 0) + 1);
  }

  restarted(): void {
    this.#restarts += 1;
  }

  relisted(): void {
    this.#relists += 1;
  }

  /** Undefined while all is well. */
  failure(): string | undefined {
    const [first, ...others] = this.#troubles.values();
    if (first === undefined) return undefined;
    const seconds = Math.round((this.#clock.monotonicMs() - first.sinceMs) / 1000);
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return `${first.reason} (for ${seconds} s${more})`;
  }

  /** What `/metrics` shows. */
  samples(): ReadonlyMap<string, number> {
    return new Map([
      ['tinkerbell_cluster_in_touch', this.#troubles.size === 0 ? 1 : 0],
      ['tinkerbell_cluster_watch_restarts_total', this.#restarts],
      ['tinkerbell_cluster_relists_total', this.#relists],
      ...RETRY_REASONS.map((reason): [string, number] => [
        `tinkerbell_cluster_retries_total{reason="${reason}"}`,
        this.#retries.get(reason) ?? 0,
      ]),
    ]);
  }
}
