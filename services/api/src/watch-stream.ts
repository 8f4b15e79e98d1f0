/** A watch as a stream of JSON lines: what exists (unless a revision is given), then every change. */
import type { Resource } from '@tinkerbell/resources';
import type { Change, Store } from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import type { Selector } from './selectors.ts';

export interface WatchOptions {
  readonly collection: string;
  readonly namespace?: string;
  /** Undefined begins with everything that exists. */
  readonly fromRevision?: number | undefined;
  /** Tell by a bookmark when everything that exists was told. */
  readonly endsInitial?: boolean;
  /** Tell revisions from time to time, so that a watch of few changes can be taken up again. */
  readonly bookmarks: boolean;
  readonly bookmark: { readonly apiVersion: string; readonly kind: string };
  readonly selector: Selector;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** How an object is shown: itself, or as a Table. */
  readonly show: (resource: Resource) => object;
  readonly schedule: (delayMs: number, task: () => void) => () => void;
}

/** Lines that a slow client may be behind before its watch is ended; it lists and watches again. */
const BACKLOG_LIMIT = 10_000;

/** As Kubernetes' own API server: about once a minute. */
const BOOKMARK_MS = 60_000;

/** Objects are serialized once, however many watch them. */
const serialized = new WeakMap<object, string>();

function textOf(object: object): string {
  let text = serialized.get(object);
  if (text === undefined) serialized.set(object, (text = JSON.stringify(object)));
  return text;
}

/** Rejects with an ApiError of reason Expired when the revision is no longer kept. */
export async function watchStream(store: Store, options: WatchOptions): Promise<ReadableStream<Uint8Array>> {
  const { collection, namespace } = options;
  const query = { collection, ...(namespace === undefined ? {} : { namespace }) };
  const initial = options.fromRevision === undefined ? await store.list(query) : undefined;
  const lines = new LineQueue(options);
  for (const item of initial?.items ?? []) lines.add('added', item.object);
  const fromRevision = options.fromRevision ?? initial?.revision ?? 0;
  const watch = await store.watch(
    { ...query, fromRevision },
    { onChange: (change) => lines.change(change), onEnd: () => lines.end() },
  );
  if (!watch.ok) throw expired(fromRevision, watch.oldestRevision);
  if (options.endsInitial === true) lines.bookmark(fromRevision, { 'k8s.io/initial-events-end': 'true' });
  if (options.bookmarks) lines.bookmarkEvery(BOOKMARK_MS, () => store.revision());
  return lines.stream(watch.stop);
}

export function expired(revision: number, oldest: number): ApiError {
  return new ApiError('Expired', `too old resource version: ${revision} (${oldest})`);
}

class LineQueue {
  readonly #options: WatchOptions;
  readonly #encoder = new TextEncoder();
  /** Names that the client was told of and that still match; others are not told of again. */
  readonly #known = new Set<string>();
  #waiting: Uint8Array[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stop: () => void = () => undefined;
  #cancelBookmark: () => void = () => undefined;
  #ended = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  add(type: Change['type'], resource: Resource): void {
    const matches = this.#options.selector(resource);
    const path = `${resource.metadata.namespace}/${resource.metadata.name}`;
    const wasKnown = this.#known.has(path) || this.#options.fromRevision !== undefined;
    if (!matches && !wasKnown) return;
    const leaves = type === 'deleted' || !matches;
    if (leaves) this.#known.delete(path);
    else this.#known.add(path);
    const told = leaves ? 'DELETED' : type === 'modified' && !wasKnown ? 'ADDED' : type.toUpperCase();
    this.#line(told, textOf(this.#options.show(resource)));
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): void {
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(annotations === undefined ? {} : { annotations }),
    };
    this.#line('BOOKMARK', JSON.stringify({ ...this.#options.bookmark, metadata }));
  }

  /** The revision is asked before the changes until then were told, so that none is left out. */
  bookmarkEvery(periodMs: number, revision: () => Promise<number>): void {
    const cancel = this.#options.schedule(periodMs, () => {
      void revision().then((now) => {
        if (this.#ended) return;
        this.bookmark(now);
        this.bookmarkEvery(periodMs, revision);
      });
    });
    this.#cancelBookmark = cancel;
  }

  change(change: Change): void {
    this.add(change.type, change.object);
  }

  #line(type: string, object: string): void {
    const bytes = this.#encoder.encode(`{"type":"${type}","object":${object}}\n`);
    if (this.#controller === undefined) this.#waiting.push(bytes);
    else if ((this.#controller.desiredSize ?? 0) < -BACKLOG_LIMIT) this.end();
    else if (!this.#ended) this.#controller.enqueue(bytes);
  }

  stream(stop: () => void): ReadableStream<Uint8Array> {
    const cancelTimeout = this.#options.schedule(this.#options.timeoutMs, () => this.end());
    this.#stop = () => {
      cancelTimeout();
      this.#cancelBookmark();
      stop();
    };
    this.#options.signal.addEventListener('abort', () => this.end(), { once: true });
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        for (const bytes of this.#waiting) controller.enqueue(bytes);
        this.#waiting = [];
        if (this.#ended) controller.close();
      },
      cancel: () => this.end(),
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stop();
    try {
      this.#controller?.close();
    } catch {
      // The client has cancelled the stream already.
    }
  }
}
