/** A watch as a stream of JSON lines: what exists (unless a revision is given), then every change. */
import type { Resource } from '@tinkerbell/resources';
import type { Change, Store } from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import type { Selector } from './selectors.ts';

export interface WatchOptions {
  readonly collection: string;
  readonly namespace?: string;
  /** Undefined begins with everything that exists. */
  readonly fromRevision?: number;
  readonly selector: Selector;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** How an object is shown: itself, or as a Table. */
  readonly show: (resource: Resource) => object;
  readonly schedule: (delayMs: number, task: () => void) => () => void;
}

/** Lines that a slow client may be behind before its watch is ended; it lists and watches again. */
const BACKLOG_LIMIT = 10_000;

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
    this.#line({ type: told, object: this.#options.show(resource) });
  }

  change(change: Change): void {
    this.add(change.type, change.object);
  }

  #line(event: object): void {
    const bytes = this.#encoder.encode(`${JSON.stringify(event)}\n`);
    if (this.#controller === undefined) this.#waiting.push(bytes);
    else if ((this.#controller.desiredSize ?? 0) < -BACKLOG_LIMIT) this.end();
    else if (!this.#ended) this.#controller.enqueue(bytes);
  }

  stream(stop: () => void): ReadableStream<Uint8Array> {
    const cancelTimeout = this.#options.schedule(this.#options.timeoutMs, () => this.end());
    this.#stop = () => {
      cancelTimeout();
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
