/** Leads while it holds a Lease, and stops in time before anybody else can take it. */
import { delay, type Clock, type Log, type Random } from '@tinkerbell/platform-contract';
import type { Store, StoredObject } from '@tinkerbell/store-contract';
import { holdWrite, leaseKey, releaseWrite, specOf } from './lease-record.ts';

export interface LeadershipOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Of this process, and of no other: not even of the one that was here before. */
  readonly identity: string;
  /** Of the Lease. */
  readonly name: string;
  /** `default` when absent. */
  readonly namespace?: string;
  /** Leads until `signal` aborts. */
  readonly started: (signal: AbortSignal) => Promise<void>;
  /** Everything that `started` began has ended when it resolves; nobody else leads before. */
  readonly stopped: () => Promise<void>;
}

export interface Leadership {
  /** Wants to lead, again and again, until `signal` aborts. */
  start(signal: AbortSignal): void;
  isLeading(): boolean;
  /** Resolves when it leads no more and the Lease is given back. */
  ended(): Promise<void>;
}

/** After a `kill -9` another has seen the last renewal within a look, and leads when this has passed: within 6.5 seconds. */
const DURATION_SECONDS = 5;
const LOOK_EVERY_MS = 1_000;
/** From before the last renewal was sent. The rest of the duration is for what is under way. */
const LEAD_LIMIT_MS = 3_500;
/** Of several that wait, not all at one moment. */
const JITTER_MS = 250;

export function createLeadership(options: LeadershipOptions): Leadership {
  return new LeaseLeadership(options);
}

class LeaseLeadership implements Leadership {
  readonly #options: LeadershipOptions;
  /** The Lease as it was last seen to change, and when, by the monotonic clock. */
  #seen: { readonly revision: number; readonly atMs: number } | undefined;
  /** When the hold of another ends that was seen last. */
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

  /** By the clock, not by the timer: a process that was paused knows at once. */
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
    await this.#stopLeading('the server stops');
    await this.#release().catch((thrown: unknown) =>
      log.warn('the Lease could not be given back', { error: String(thrown) }),
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
    // Should the answer have taken too long, nothing begins, and the next look finds the Lease as ours.
    this.#leadsUntilMs = sentAtMs + LEAD_LIMIT_MS;
    if (clock.monotonicMs() < this.#leadsUntilMs) await this.#lead();
  }

  /** Who waits for the end of another's hold looks when it comes, and not up to a look later. */
  #nextLookMs(): number {
    const leftMs = this.#expiresAtMs - this.#options.clock.monotonicMs();
    return leftMs > 0 ? Math.min(LOOK_EVERY_MS, leftMs) : LOOK_EVERY_MS;
  }

  /** Ours, given back, or not changed for as long as its holder may count on. */
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
    this.#options.log.info('leads no more', { lease: this.#options.name, reason });
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
