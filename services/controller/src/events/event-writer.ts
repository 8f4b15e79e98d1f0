/** Writes Events in the background. The queue is bounded, and Events are dropped if the store is slow. */
import { setLatest, type Clock, type Log, type Random } from '@tinkerbell/platform-contract';
import type { CounterChild } from '@tinkerbell/platform-metrics';
import { eventOf, uidOf, type Happening } from '@tinkerbell/resources';
import type { ObjectKey, Store } from '@tinkerbell/store-contract';
import type { EventsMetrics } from '../metrics.ts';
import { eventCollection } from './event-collection.ts';
import { EventLimits } from './event-limits.ts';

export interface EventWriterDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export type Seen = Pick<Happening, 'object' | 'reason' | 'message' | 'type' | 'component'>;

/** Limit of queued Events. */
const WAITING_MAX = 1000;
/** Number of remembered Events, whose count increases when they repeat; client-go's number. */
const KNOWN_MAX = 4096;

export class EventWriter {
  readonly #deps: EventWriterDeps;
  readonly #limits: EventLimits;
  readonly #waiting: Seen[] = [];
  /** By object and reason, in order of use. */
  readonly #known = new Map<string, ObjectKey>();
  #writing: Promise<void> | undefined;
  readonly #written: CounterChild;
  readonly #dropped: Readonly<Record<'limit' | 'queue' | 'store', CounterChild>>;

  constructor(deps: EventWriterDeps, { written, dropped }: EventsMetrics) {
    this.#deps = deps;
    this.#written = written.with();
    this.#dropped = {
      limit: dropped.with({ reason: 'limit' }),
      queue: dropped.with({ reason: 'queue' }),
      store: dropped.with({ reason: 'store' }),
    };
    this.#limits = new EventLimits(deps.clock);
  }

  /** Never throws and never waits. */
  record(seen: Seen): void {
    const { kind, metadata } = seen.object;
    if (!this.#limits.mayWrite(`${kind} ${metadata.namespace}/${metadata.name}`)) {
      this.#dropped.limit.add();
      return;
    }
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped.queue.add();
      return;
    }
    this.#waiting.push(seen);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (let seen = this.#waiting.shift(); seen !== undefined; seen = this.#waiting.shift()) {
      try {
        await this.#write(seen);
        this.#written.add();
      } catch (thrown) {
        this.#dropped.store.add();
        this.#deps.log.debug('event not written', { reason: seen.reason, error: String(thrown) });
      }
    }
    this.#writing = undefined;
  }

  async #write(seen: Seen): Promise<void> {
    const { namespace, name } = seen.object.metadata;
    const what = [seen.object.kind, namespace, name, seen.type, seen.reason, seen.message].join(' ');
    const known = this.#known.get(what);
    this.#known.delete(what);
    const key = known !== undefined && (await this.#again(known)) ? known : await this.#create(seen);
    setLatest(this.#known, [what, key], KNOWN_MAX);
  }

  /** Returns false if the Event has been deleted since. */
  async #again(key: ObjectKey): Promise<boolean> {
    const updated = await eventCollection.update<never>(this.#deps.store, key, (event) => ({
      object: { ...event, count: (event.count ?? 1) + 1, lastTimestamp: this.#now() },
    }));
    if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
    return updated.ok;
  }

  async #create(seen: Seen): Promise<ObjectKey> {
    const { store, random } = this.#deps;
    const now = this.#now();
    const suffix = [...random.bytes(8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const event = eventOf({ ...seen, firstTime: now, lastTime: now, count: 1, suffix });
    const { name, namespace } = event.metadata;
    const key = { collection: eventCollection.name, namespace, name };
    const metadata = { ...event.metadata, uid: uidOf(random.bytes(16)), creationTimestamp: now };
    const result = await store.commit([{ operation: 'create', key, object: { ...event, metadata } }]);
    if (!result.ok) throw new Error(result.message);
    return key;
  }

  #now(): string {
    return new Date(this.#deps.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  }
}
