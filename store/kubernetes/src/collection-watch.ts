/** One collection followed over any number of connections, from revision to revision. */
import { delay, type Clock } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { Change } from '@tinkerbell/store-contract';
import type { ClusterClient, LineStream } from './cluster-client.ts';
import { collectionPath } from './collection-paths.ts';

export interface CollectionWatchOptions {
  readonly client: ClusterClient;
  readonly clock: Clock;
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly fromRevision: number;
  readonly signal: AbortSignal;
  readonly onChange: (change: Change) => void;
  readonly onEnd: (reason: string) => void;
}

const RETRY_MS = [100, 500, 2_000, 5_000] as const;
const types: Readonly<Record<string, Change['type']>> = {
  ADDED: 'added',
  MODIFIED: 'modified',
  DELETED: 'deleted',
};

/** Resolves when changes come; with `compacted` when those after the revision are no longer kept. Rejects when nobody answers. */
export async function watchCollection(options: CollectionWatchOptions): Promise<'compacted' | 'watching'> {
  const watch = new CollectionWatch(options);
  const stream = await watch.open();
  if (stream === 'compacted') return stream;
  void watch.follow(stream);
  return 'watching';
}

class CollectionWatch {
  readonly #options: CollectionWatchOptions;
  #revision: number;

  constructor(options: CollectionWatchOptions) {
    this.#options = options;
    this.#revision = options.fromRevision;
  }

  /** Undefined: the cluster does not have such objects. */
  async open(): Promise<LineStream | 'compacted' | undefined> {
    const { client, collection, namespace, signal } = this.#options;
    const query = `?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}`;
    const stream = await client.stream(`${collectionPath(collection, namespace)}${query}`, signal);
    if (stream.status === 410) return 'compacted';
    if (stream.status === 404) return undefined;
    if (stream.status !== 200) throw new Error(`watching ${collection} is answered with ${stream.status}`);
    return stream;
  }

  async follow(first: LineStream | undefined): Promise<void> {
    const { clock, signal, onEnd } = this.#options;
    let stream: LineStream | 'compacted' | undefined = first;
    for (let failures = 0; !signal.aborted;) {
      if (stream === undefined) return;
      if (stream === 'compacted' || (await this.#take(stream)) === 'compacted')
        return onEnd('changes were let go of before they were read; list again');
      await delay(clock, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal);
      try {
        if (!signal.aborted) stream = await this.open();
        failures = 0;
      } catch {
        failures += 1;
        stream = { status: 0, lines: nothing() };
      }
    }
  }

  async #take({ lines }: LineStream): Promise<'compacted' | 'ended'> {
    const { signal, collection, onChange } = this.#options;
    try {
      for await (const line of lines) {
        if (signal.aborted) return 'ended';
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: Resource };
        if (type === 'ERROR')
          return (object as { readonly code?: number }).code === 410 ? 'compacted' : 'ended';
        const { resourceVersion = '', namespace, name } = object.metadata;
        this.#revision = Math.max(this.#revision, Number(resourceVersion));
        const change = types[type];
        if (change === undefined) continue;
        const key = { collection, namespace, name };
        onChange({ type: change, key, revision: Number(resourceVersion), object });
      }
    } catch {
      // A connection that breaks in the middle of a line; the line comes again.
    }
    return 'ended';
  }
}

async function* nothing(): AsyncGenerator<string> {
  // Nobody answered: there is nothing to read.
}
