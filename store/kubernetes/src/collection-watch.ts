/** Follows one collection over any number of connections, from revision to revision. */
import { messageOf, delay, PlatformError, type Clock, type Random } from '@tinkerbell/platform-contract';
import type { Change } from '@tinkerbell/store-contract';
import { statusIn, watchEventIn } from './answer-bodies.ts';
import type { ClusterClient, LineStream } from './cluster-client.ts';
import { collectionPath, keyIn } from './collection-paths.ts';
import type { Contact } from './contact.ts';
import { withFieldsRestored } from './field-placement.ts';
import { messageIn, refused } from './refused.ts';
import { retryDelayMs } from './retry-delay.ts';

export interface CollectionWatchOptions {
  readonly client: ClusterClient;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly random: Random;
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly fromRevision: number;
  readonly signal: AbortSignal;
  /** How long the first connection is retried. */
  readonly patienceMs: () => number;
  readonly onChange: (change: Change) => void;
  readonly onEnd: (reason: string) => void;
}

const types: Readonly<Record<string, Change['type']>> = {
  ADDED: 'added',
  MODIFIED: 'modified',
  DELETED: 'deleted',
};

/**
 * Resolves when the watch is open, or when the cluster does not have such objects, in which case it is retried. Resolves with
 * `compacted` when the changes after the revision are no longer kept. Rejects with a PlatformError when no answer arrives in
 * time.
 */
export async function watchCollection(options: CollectionWatchOptions): Promise<'compacted' | 'watching'> {
  const watch = new CollectionWatch(options);
  const first = await watch.begin();
  if (first === 'compacted') return first;
  void watch.follow(first);
  return 'watching';
}

type Opened = LineStream | 'compacted' | 'absent';

class CollectionWatch {
  readonly #options: CollectionWatchOptions;
  readonly #what: string;
  #revision: number;
  /** Consecutive failures, without a line in between. */
  #failures = 0;

  constructor(options: CollectionWatchOptions) {
    this.#options = options;
    const { collection, namespace, fromRevision } = options;
    this.#what =
      namespace === undefined ? `watch of ${collection}` : `watch of ${collection} in ${namespace}`;
    this.#revision = fromRevision;
  }

  async begin(): Promise<Opened> {
    const { clock, patienceMs, signal } = this.#options;
    const startedMs = clock.monotonicMs();
    for (; ; await this.#pause()) {
      try {
        return await this.#open();
      } catch (thrown) {
        this.#failed(thrown);
        const isOutage = thrown instanceof PlatformError && thrown.code === 'unavailable';
        const isOver = signal.aborted || clock.monotonicMs() - startedMs > patienceMs();
        if (isOutage && !isOver) continue;
        // The caller gets the error, and no broken watch remains.
        this.#options.contact.succeeded(this.#what);
        throw thrown;
      }
    }
  }

  /** Runs until the signal aborts, or until the cluster keeps too few changes. Never rejects. */
  async follow(first: Opened): Promise<void> {
    const { signal, contact } = this.#options;
    for (let opened: Opened | undefined = first; !signal.aborted;) {
      if (
        opened === 'compacted' ||
        (typeof opened === 'object' && (await this.#take(opened)) === 'compacted')
      )
        return this.#end();
      await this.#pause();
      if (signal.aborted) break;
      contact.restarted();
      opened = await this.#open().catch((thrown: unknown) => this.#failed(thrown));
    }
    contact.succeeded(this.#what);
  }

  #end(): void {
    const { contact, onEnd } = this.#options;
    contact.succeeded(this.#what);
    contact.relisted();
    onEnd('changes were dropped by the cluster before they were read; list again');
  }

  async #open(): Promise<Opened> {
    const { client, contact, collection, namespace, signal } = this.#options;
    const query = `?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}`;
    const stream = await client.stream(`${collectionPath(collection, namespace)}${query}`, signal);
    if (stream.status === 410) return 'compacted';
    if (stream.status === 200) {
      contact.succeeded(this.#what);
      return stream;
    }
    const { status, body } = stream;
    if (status !== 404)
      throw refused({ verb: 'watch', collection, url: client.url, status, text: messageIn(body) });
    this.#failed(new Error(`the cluster has no ${collection}`));
    return 'absent';
  }

  async #take({ lines }: LineStream): Promise<'compacted' | 'ended'> {
    try {
      for await (const line of lines) {
        if (this.#options.signal.aborted) return 'ended';
        if (this.#takeLine(line) === 'compacted') return 'compacted';
        this.#failures = 0;
      }
    } catch (thrown) {
      // A connection may break in the middle of a line, which is then sent again.
      this.#failed(thrown);
    }
    return 'ended';
  }

  /** Throws on text that is not an event, and on the event that reports the end of the watch. */
  #takeLine(line: string): 'compacted' | undefined {
    const { collection, onChange } = this.#options;
    const { type, object } = watchEventIn(line);
    if (type === 'ERROR') {
      const { code } = statusIn(object);
      if (code === 410) return 'compacted';
      throw new Error(`${code ?? ''} ${messageIn(object)}`);
    }
    const revision = Number(object.metadata.resourceVersion ?? 0);
    this.#revision = Math.max(this.#revision, revision);
    const change = types[type];
    if (change === undefined) return undefined;
    const key = keyIn(collection, object.metadata);
    onChange({ type: change, key, revision, object: withFieldsRestored(collection, object) });
    return undefined;
  }

  /** After an end without a failure, because servers end every watch after a while. */
  #pause(): Promise<void> {
    const { clock, random, signal } = this.#options;
    this.#failures += 1;
    return delay(clock, retryDelayMs({ failures: this.#failures, fraction: random.fraction() }), signal);
  }

  #failed(thrown: unknown): undefined {
    const { client, contact, signal } = this.#options;
    if (signal.aborted) return undefined;
    const why = messageOf(thrown);
    const own = `the Kubernetes API at ${client.url}: the ${this.#what} is broken: ${why}`;
    contact.failed(this.#what, thrown instanceof PlatformError ? why : own);
    return undefined;
  }
}
