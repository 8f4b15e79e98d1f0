/**
 * A watch as a stream of JSON lines: existing objects (unless a revision is given), then every change. Existing objects are read
 * from the store as the client reads. A client that falls too far behind gets an event of 410, and must list again.
 */
import { nextTurn, type HeldBytes } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { Change, ListQuery, Store } from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import { LineQueue } from './line-queue.ts';
import type { Selector } from './selectors.ts';
import { eventTypes, type EventLines, type EventType } from './watch-line.ts';

export interface WatchOptions {
  readonly collection: string;
  readonly namespace?: string;
  /** If undefined, starts with all existing objects. */
  readonly fromRevision?: number | undefined;
  /** Sends a bookmark after the existing objects. */
  readonly endsInitial?: boolean;
  /** Sends the revision from time to time, so that a watch with few changes can be resumed. */
  readonly bookmarks: boolean;
  readonly bookmark: { readonly apiVersion: string; readonly kind: string };
  /** If undefined, selects every object. */
  readonly selector?: Selector;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The form of its events. */
  readonly events: EventLines;
  /** Converts an object, for example to a Table; undefined to send it unchanged. */
  readonly show?: (resource: Resource) => object;
  readonly schedule: (delayMs: number, task: () => void) => () => void;
  /** Counts the unread events. */
  readonly held: HeldBytes;
  /** Called if the client was too slow and its events were dropped. */
  readonly onTooSlow: () => void;
}

/** Like Kubernetes' own API server: about once a minute. */
const BOOKMARK_MS = 60_000;
/** Limit of existing objects encoded ahead of a client that may never read them, bytes. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_MAX = 500;
const PAGE_UNKNOWN = 32;

/** Rejects with an ApiError of reason Expired if the revision is no longer kept. */
export async function watchStream(store: Store, options: WatchOptions): Promise<ReadableStream<Uint8Array>> {
  const { fromRevision } = options;
  const watching = new Watching(store, options);
  if (fromRevision === undefined) await watching.begin();
  else {
    const oldest = await watching.follow(fromRevision);
    if (oldest !== undefined) throw expired(fromRevision, oldest);
  }
  return watching.stream();
}

export function expired(revision: number, oldest: number): ApiError {
  return new ApiError('Expired', `too old resource version: ${revision} (${oldest})`);
}

/** The size of objects that the selector excludes is unknown. */
function pageLimitAfter(items: number, bytes: number): number {
  if (bytes === 0) return PAGE_UNKNOWN;
  return Math.min(PAGE_MAX, Math.max(1, Math.floor((PAGE_BYTES * items) / bytes)));
}

const TOO_SLOW =
  'the watch has fallen too far behind, because the client did not read its events; list and watch again';

class Watching {
  readonly #store: Store;
  readonly #options: WatchOptions;
  readonly #query: { readonly collection: string; readonly namespace?: string };
  readonly #queue: LineQueue;
  /** Names of matching objects that the client has seen, if there is a selector. */
  readonly #known = new Set<string>();
  /** Objects listed at a version newer than the start of the list. Their changes up to it are skipped. */
  readonly #ahead = new Map<string, number>();
  #listRevision = 0;
  #after: ListQuery['after'];
  #pageLimit = 1;
  #isListing = false;
  #ends: (() => void)[] = [];

  constructor(store: Store, options: WatchOptions) {
    const { collection, namespace, held, onTooSlow, events } = options;
    this.#store = store;
    this.#options = options;
    this.#query = { collection, ...(namespace === undefined ? {} : { namespace }) };
    this.#queue = new LineQueue({
      held,
      onEnd: () => this.#ends.forEach((end) => end()),
      tooSlow() {
        onTooSlow();
        return events.own('ERROR', new ApiError('Expired', TOO_SLOW).toStatus());
      },
    });
  }

  stream(): ReadableStream<Uint8Array> {
    const { schedule, timeoutMs, signal } = this.#options;
    this.#onEnd(schedule(timeoutMs, () => this.#queue.end()));
    const abandon = (): void => this.#queue.abandon();
    signal.addEventListener('abort', abandon, { once: true });
    this.#onEnd(() => signal.removeEventListener('abort', abandon));
    const stream = this.#queue.stream(() => this.#more());
    if (signal.aborted) abandon();
    return stream;
  }

  /** Reads the first page at once, so that a failing store becomes an error answer. */
  async begin(): Promise<void> {
    this.#isListing = true;
    this.#listRevision = await this.#store.revision();
    await this.#page();
  }

  /** Returns false when all existing objects have been sent and changes follow. */
  async #more(): Promise<boolean> {
    if (!this.#isListing) return false;
    try {
      // A memory store answers at once, so give other requests a turn while the selector skips objects.
      await nextTurn();
      await this.#page();
    } catch {
      this.#fail(new ApiError('ServiceUnavailable', 'the store is unavailable; watch again'));
    }
    return this.#isListing;
  }

  async #page(): Promise<void> {
    const after = this.#after === undefined ? {} : { after: this.#after };
    const { items, next } = await this.#store.list({ ...this.#query, ...after, limit: this.#pageLimit });
    if (this.#queue.isEnding) return;
    let bytes = 0;
    for (const { object, revision } of items) {
      if (revision > this.#listRevision) this.#ahead.set(pathOf(object), revision);
      const line = this.#eventOf('added', object);
      bytes += line?.length ?? 0;
      if (line !== undefined) this.#queue.add(line);
    }
    this.#pageLimit = pageLimitAfter(items.length, bytes);
    this.#after = next;
    if (next === undefined) await this.#listed();
  }

  async #listed(): Promise<void> {
    this.#isListing = false;
    if (this.#options.endsInitial === true)
      this.#bookmark(this.#listRevision, { 'k8s.io/initial-events-end': 'true' });
    const oldest = await this.follow(this.#listRevision);
    if (oldest !== undefined) this.#fail(expired(this.#listRevision, oldest));
  }

  /** Returns the oldest kept revision, if the given one is no longer kept. */
  async follow(fromRevision: number): Promise<number | undefined> {
    const watch = await this.#store.watch(
      { ...this.#query, fromRevision },
      { onChange: (change) => this.#change(change), onEnd: () => this.#queue.end() },
    );
    if (!watch.ok) return watch.oldestRevision;
    this.#onEnd(watch.stop);
    if (this.#options.bookmarks) this.#bookmarkLater();
    return undefined;
  }

  #change({ type, object, revision }: Change): void {
    if (this.#queue.isEnding) return;
    if (this.#ahead.size > 0) {
      const path = pathOf(object);
      const listed = this.#ahead.get(path) ?? 0;
      if (revision <= listed) return;
      this.#ahead.delete(path);
    }
    const line = this.#eventOf(type, object);
    if (line !== undefined) this.#queue.push(line);
  }

  /** Returns undefined for an object that does not concern the client. */
  #eventOf(change: Change['type'], object: Resource): Uint8Array | undefined {
    const type = this.#typeOf(change, object);
    if (type === undefined) return undefined;
    const { show, events } = this.#options;
    return show === undefined ? events.shared(type, object) : events.own(type, show(object));
  }

  /** An object that starts to match is added, and one that no longer matches is deleted. */
  #typeOf(change: Change['type'], object: Resource): EventType | undefined {
    const { selector, fromRevision } = this.#options;
    if (selector === undefined) return eventTypes[change];
    const path = pathOf(object);
    const matches = selector(object);
    const wasKnown = this.#known.has(path) || fromRevision !== undefined;
    if (!matches && !wasKnown) return undefined;
    const leaves = change === 'deleted' || !matches;
    if (leaves) this.#known.delete(path);
    else this.#known.add(path);
    if (leaves) return 'DELETED';
    return wasKnown ? eventTypes[change] : 'ADDED';
  }

  #bookmark(revision: number, annotations?: Readonly<Record<string, string>>): void {
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(annotations === undefined ? {} : { annotations }),
    };
    const { events, bookmark } = this.#options;
    this.#queue.push(events.own('BOOKMARK', { ...bookmark, metadata }));
  }

  #fail(error: ApiError): void {
    this.#queue.end(this.#options.events.own('ERROR', error.toStatus()));
  }

  /** Reads the revision before sending the changes up to it, so that no change is lost. */
  #bookmarkLater(): void {
    const cancel = this.#options.schedule(BOOKMARK_MS, () => {
      this.#ends = this.#ends.filter((end) => end !== cancel);
      void this.#store.revision().then(
        (now) => {
          if (this.#queue.isEnding) return;
          this.#bookmark(now);
          this.#bookmarkLater();
        },
        () => this.#queue.end(),
      );
    });
    this.#onEnd(cancel);
  }

  #onEnd(end: () => void): void {
    if (this.#queue.isEnding) end();
    else this.#ends.push(end);
  }
}

function pathOf({ metadata: { namespace, name } }: Resource): string {
  return `${namespace}/${name}`;
}
