import type { Clock } from '@tinkerbell/platform-contract';

export interface SenderLimits {
  readonly messagesPerSecond: number;
  /** The number of messages accepted at once after a pause. */
  readonly burst: number;
  /** The number of senders with their own count. All others share one. */
  readonly sendersMax: number;
  /** The time for which a sender's drops are counted before they are reported. */
  readonly reportAfterMs: number;
}

interface Bucket {
  readonly sender: string | undefined;
  tokens: number;
  filledAtMs: number;
  dropped: number;
  cancelReport: (() => void) | undefined;
}

/** The interval at which a full table is searched for quiet senders. A flood of forged addresses must not cost a search each. */
const SWEEP_INTERVAL_MS = 1_000;

type LimitClock = Pick<Clock, 'monotonicMs' | 'schedule'>;
type OnDropped = (sender: string | undefined, count: number) => void;

/**
 * A token bucket for each sender. `onDropped` is called once per `reportAfterMs` with the number of a sender's dropped messages.
 * The sender is undefined for those that share a count.
 */
export class SenderLimit {
  readonly #clock: LimitClock;
  readonly #limits: SenderLimits;
  readonly #onDropped: OnDropped;
  readonly #buckets = new Map<string, Bucket>();
  readonly #shared: Bucket;
  #sweptAtMs: number;

  constructor(clock: LimitClock, limits: SenderLimits, onDropped: OnDropped) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onDropped = onDropped;
    this.#shared = this.#newBucket(undefined);
    this.#sweptAtMs = clock.monotonicMs();
  }

  /** Returns false when this sender sent too much. Drop the message. */
  takes(sender: string): boolean {
    const bucket = this.#bucketOf(sender);
    this.#fill(bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return true;
    }
    bucket.dropped += 1;
    bucket.cancelReport ??= this.#clock.schedule(this.#limits.reportAfterMs, () => this.#report(bucket));
    return false;
  }

  /** Reports the drops that are not reported yet. */
  stop(): void {
    for (const bucket of [...this.#buckets.values(), this.#shared]) this.#report(bucket);
  }

  #bucketOf(sender: string): Bucket {
    const known = this.#buckets.get(sender);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.#limits.sendersMax) this.#sweep();
    if (this.#buckets.size >= this.#limits.sendersMax) return this.#shared;
    const bucket = this.#newBucket(sender);
    this.#buckets.set(sender, bucket);
    return bucket;
  }

  #newBucket(sender: string | undefined): Bucket {
    const filledAtMs = this.#clock.monotonicMs();
    return { sender, tokens: this.#limits.burst, filledAtMs, dropped: 0, cancelReport: undefined };
  }

  #fill(bucket: Bucket): void {
    const now = this.#clock.monotonicMs();
    const gained = ((now - bucket.filledAtMs) * this.#limits.messagesPerSecond) / 1_000;
    bucket.tokens = Math.min(this.#limits.burst, bucket.tokens + gained);
    bucket.filledAtMs = now;
  }

  /** Removes senders with a full bucket and nothing to report, because they equal new ones. */
  #sweep(): void {
    if (this.#clock.monotonicMs() - this.#sweptAtMs < SWEEP_INTERVAL_MS) return;
    this.#sweptAtMs = this.#clock.monotonicMs();
    for (const [sender, bucket] of this.#buckets) {
      this.#fill(bucket);
      if (bucket.tokens >= this.#limits.burst && bucket.dropped === 0) this.#buckets.delete(sender);
    }
  }

  #report(bucket: Bucket): void {
    bucket.cancelReport?.();
    bucket.cancelReport = undefined;
    if (bucket.dropped > 0) this.#onDropped(bucket.sender, bucket.dropped);
    bucket.dropped = 0;
  }
}
