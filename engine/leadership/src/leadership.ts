/** Leads while it holds a Lease, and stops before another process can acquire it. */
import { delay, type Clock, type Log, type Random } from '@tinkerbell/platform-contract';
import type { Store, StoredObject } from '@tinkerbell/store-contract';
import { holdWrite, leaseKey, releaseWrite, specOf } from './lease-record.ts';

export interface LeadershipOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Unique to this process. An earlier process on the same host has a different identity. */
  readonly identity: string;
  /** The name of the Lease. */
  readonly name: string;
  /** `default` when absent. */
  readonly namespace?: string;
  /** Leads until `signal` aborts. */
  readonly started: (signal: AbortSignal) => Promise<void>;
  /** When it resolves, everything that `started` began has ended. No other process leads before that. */
  readonly stopped: () => Promise<void>;
}

export interface Leadership {
  /** Tries to lead, again and again, until `signal` aborts. */
  start(signal: AbortSignal): void;
  isLeading(): boolean;
  /** Resolves when it no longer leads and has released the Lease. */
  ended(): Promise<void>;
}

/**
 * After a `kill -9`, another process has seen the last renewal within one retry period and leads when this duration has passed:
 * within 6.5 seconds.
 */
const DURATION_SECONDS = 5;
const LOOK_EVERY_MS = 1_000;
/** Counted from before the last renewal was sent. The rest of the duration is for work in progress. */
const LEAD_LIMIT_MS = 3_500;
/** Jitter, so that several candidates do not try at the same moment. */
const JITTER_MS = 250;

export function createLeadership(options: LeadershipOptions): Leadership {
  return new LeaseLeadership(options);
}

class LeaseLeadership implements Leadership {
  readonly #options: LeadershipOptions;
  /** The Lease when it was last seen to change, and the time of that change on the monotonic clock. */
  #seen: { readonly revision: number; readonly atMs: number } | undefined;
  /** The time when the hold of the last observed holder ends. */
  #expiresAtMs = Number.NEGATIVE_INFINITY;
  #leadsUntilMs = Number.NEGATIVE_INFINITY;
  #leading: AbortController | undefined;
  #cancelLimit = (): void => undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  start(signal: AbortSignal): void {
    this.#ended = this.#run(signal);
  }

  /** Uses the clock and not the timer, so that a process that was paused notices at once. */
  isLeading(): boolean {
    return this.#leading !== undefined && this.#options.clock.monotonicMs() < this.#leadsUntilMs;
  }

  ended(): Promise<void> {
    return this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (thrown) {
        log.warn('the Lease could not be read or written', { error: String(thrown) });
      }
      if (this.#leading !== undefined && !this.isLeading())
        await this.#stopLeading('it was not renewed in time');
      await delay(clock, this.#nextLookMs() + random.fraction() * JITTER_MS, signal);
    }
    if (this.#leading === undefined) return;
    await this.#stopLeading('the server is stopping');
    await this.#release().catch((thrown: unknown) =>
      log.warn('the Lease could not be released', { error: String(thrown) }),
    );
  }

  async #look(): Promise<void> {
    const { store, clock, random, identity } = this.#options;
    const sentAtMs = clock.monotonicMs();
    const stored = await store.get(this.#key());
    if (!this.#mayHold(stored)) {
      if (this.#leading !== undefined) await this.#stopLeading('another server holds the Lease');
      return;
    }
    const holding = {
      identity,
      durationSeconds: DURATION_SECONDS,
      nowMs: clock.nowMs(),
      randomBytes: random.bytes(16),
    };
    const result = await store.commit([holdWrite(this.#key(), stored, holding)]);
    if (!result.ok) return;
    // If the answer took too long, nothing starts, and the next try finds that this process holds the Lease.
    this.#leadsUntilMs = sentAtMs + LEAD_LIMIT_MS;
    if (clock.monotonicMs() < this.#leadsUntilMs) await this.#lead();
  }

  /** A candidate that waits for another's hold to end tries at that moment, and not up to one retry period later. */
  #nextLookMs(): number {
    const leftMs = this.#expiresAtMs - this.#options.clock.monotonicMs();
    return leftMs > 0 ? Math.min(LOOK_EVERY_MS, leftMs) : LOOK_EVERY_MS;
  }

  /** The Lease is held by this process, was released, or has not changed for as long as its holder may rely on it. */
  #mayHold(stored: StoredObject | undefined): boolean {
    const { clock, identity } = this.#options;
    const { holderIdentity = '', leaseDurationSeconds = DURATION_SECONDS } = specOf(stored);
    if (stored === undefined || holderIdentity === '' || holderIdentity === identity) return true;
    const nowMs = clock.monotonicMs();
    if (this.#seen?.revision !== stored.revision) this.#seen = { revision: stored.revision, atMs: nowMs };
    this.#expiresAtMs = this.#seen.atMs + leaseDurationSeconds * 1000;
    return nowMs >= this.#expiresAtMs;
  }

  async #lead(): Promise<void> {
    const { clock, log, identity, name, started } = this.#options;
    this.#cancelLimit();
    const leftMs = this.#leadsUntilMs - clock.monotonicMs();
    this.#cancelLimit = clock.schedule(leftMs, () => void this.#stopLeading('it was not renewed in time'));
    if (this.#leading !== undefined) return;
    log.info('leads', { lease: name, identity });
    this.#leading = new AbortController();
    await started(this.#leading.signal);
  }

  async #stopLeading(reason: string): Promise<void> {
    const leading = this.#leading;
    if (leading === undefined) return;
    this.#leading = undefined;
    this.#cancelLimit();
    this.#options.log.info('no longer leads', { lease: this.#options.name, reason });
    leading.abort();
    await this.#options.stopped();
  }

  async #release(): Promise<void> {
    const { store, clock, identity } = this.#options;
    const stored = await store.get(this.#key());
    if (stored === undefined || specOf(stored).holderIdentity !== identity) return;
    await store.commit([releaseWrite(this.#key(), stored, clock.nowMs())]);
  }

  #key() {
    return leaseKey(this.#options.namespace ?? 'default', this.#options.name);
  }
}
