/**
 * The store in the API of a Kubernetes cluster. Revisions are the cluster's resource versions, which are numbers of one sequence
 * in etcd and in this project's API. It guarantees less than the other stores. The writes of one commit are checked together and
 * then performed one after the other, so that another writer or an outage in between leaves the first ones applied and refuses
 * the rest. A change of status and of something else is two requests and two revisions. A watch of all collections delivers each
 * collection's changes in order, but not those of two collections. The cluster assigns the uid of new objects.
 */
import { PlatformError, delay, type Clock, type Log, type Random } from '@tinkerbell/platform-contract';
import type { MetricFamilies } from '@tinkerbell/platform-metrics';
import type { Resource } from '@tinkerbell/resources';
import type {
  Change,
  CommitResult,
  ListQuery,
  ObjectKey,
  ObjectList,
  Store,
  StoredObject,
  WatchHandlers,
  WatchQuery,
  WatchResult,
  Write,
} from '@tinkerbell/store-contract';
import { listIn, objectIn } from './answer-bodies.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { clusterProblems } from './cluster-problems.ts';
import { ClusterCalls } from './cluster-calls.ts';
import { ClusterClient, type Answer, type ClientLimits } from './cluster-client.ts';
import { ClusterFields } from './cluster-fields.ts';
import { collectionPath, keyIn, knownCollections, objectPath } from './collection-paths.ts';
import { watchCollection } from './collection-watch.ts';
import { Contact } from './contact.ts';
import { withFieldsRestored } from './field-placement.ts';
import { firstRefusal, performWrite, unavailable } from './object-writes.ts';
import { messageIn, refused } from './refused.ts';

export interface KubernetesStoreOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly limits?: ClientLimits & {
    /** How long an unanswered request is retried (default: 15 s). */
    readonly patienceMs?: number;
  };
}

/** A store that also reports the state of its cluster. */
export interface KubernetesStore extends Store {
  /** The reason why the cluster is unreachable, or undefined while it is reachable. */
  failure(): string | undefined;
  /**
   * Resolves with what the cluster lacks for a server to keep its objects there, or the reason why it does not answer, or
   * undefined when there is no problem. Creates the namespace of the server.
   */
  problem(): Promise<string | undefined>;
  /** The metrics for `/metrics`. */
  readonly metrics: MetricFamilies;
}

/** An API server that restarts is back sooner, and agents retry after 20 s. */
const PATIENCE_MS = 15_000;
const PAGE = 500;
/** How long an answer waits until this server's own watches have received the change. */
const SEEN_LIMIT_MS = 1_000;
const ANY_COLLECTION = 'workflows.tinkerbell.org';

/** Rejects when the cluster is unreachable, or does not have Tinkerbell's kinds. */
export async function openKubernetesStore(options: KubernetesStoreOptions): Promise<KubernetesStore> {
  const store = new ClusterStore(options);
  try {
    await store.revision();
    return store;
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

/** Sends nothing to the cluster yet. `problem` reports whether it is reachable. */
export function createKubernetesStore(options: KubernetesStoreOptions): KubernetesStore {
  return new ClusterStore(options);
}

interface Watcher {
  readonly query: WatchQuery;
  readonly handlers: WatchHandlers;
  readonly stopping: AbortController;
  /** Called with each change, after the watcher. */
  readonly expecting: Set<(change: Change) => void>;
}

class ClusterStore implements KubernetesStore {
  readonly #client: ClusterClient;
  readonly #calls: ClusterCalls;
  readonly #contact: Contact;
  readonly #fields: ClusterFields;
  readonly #options: KubernetesStoreOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #closing = new AbortController();

  constructor(options: KubernetesStoreOptions) {
    this.#options = options;
    const { access, clock, random, limits } = options;
    this.#client = new ClusterClient(access, limits);
    this.#contact = new Contact(clock);
    this.#fields = new ClusterFields(options.log);
    this.#calls = new ClusterCalls({
      client: this.#client,
      contact: this.#contact,
      clock,
      random,
      patienceMs: () => this.#patienceMs(),
      signal: this.#closing.signal,
    });
  }

  #patienceMs(): number {
    return this.#options.limits?.patienceMs ?? PATIENCE_MS;
  }

  failure(): string | undefined {
    return this.#contact.failure();
  }

  async problem(): Promise<string | undefined> {
    const [client, fields] = [this.#client, this.#fields];
    const problems = await clusterProblems({ client, fields }).catch((thrown: unknown) => {
      if (!(thrown instanceof PlatformError)) throw thrown;
      return [thrown.message];
    });
    const what = 'start';
    if (problems.length === 0) this.#contact.succeeded(what);
    else this.#contact.failed(what, problems.join('; '));
    return problems.length === 0 ? undefined : problems.join('; ');
  }

  get metrics(): MetricFamilies {
    return this.#contact.metrics;
  }

  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    const { status, body } = await this.#calls.read(objectPath(key));
    if (status === 404) return undefined;
    if (status !== 200) throw this.#refused('get', key.collection, { status, body });
    return storedFrom(key, objectIn(body));
  }

  /** All pages are read whatever the limit, because a cluster's continue token expires. */
  async list({ collection, namespace, limit = Infinity, after }: ListQuery): Promise<ObjectList> {
    const { objects, revision } = await this.#listAll(collection, namespace);
    const matching = objects
      .map((object) => storedFrom(keyIn(collection, object.metadata), object))
      .filter(({ key }) => after === undefined || compare(key, after) > 0)
      .toSorted((a, b) => compare(a.key, b.key));
    const items = matching.slice(0, limit);
    const last = items.at(-1)?.key;
    const hasMore = matching.length > items.length && last !== undefined;
    return {
      items,
      revision,
      ...(hasMore ? { next: { namespace: last.namespace, name: last.name } } : {}),
    };
  }

  async #listAll(
    collection: string,
    namespace: string | undefined,
  ): Promise<{ readonly objects: readonly Resource[]; readonly revision: number }> {
    const objects: Resource[] = [];
    for (let go = ''; ;) {
      const path = `${collectionPath(collection, namespace)}?limit=${PAGE}${go}`;
      const { status, body } = await this.#calls.read(path);
      if (status === 404) return { objects, revision: await this.revision() };
      if (status === 410 && go !== '') return this.#listAll(collection, namespace);
      if (status !== 200) throw this.#refused('list', collection, { status, body });
      const { items, metadata, apiVersion = '', kind = '' } = listIn(body);
      // Items of a list omit the fields that the list itself contains.
      const own = { apiVersion, kind: kind.replace(/List$/, '') };
      for (const item of items) objects.push({ ...own, ...item });
      if (!metadata.continue) return { objects, revision: Number(metadata.resourceVersion) };
      go = `&continue=${encodeURIComponent(metadata.continue)}`;
    }
  }

  async revision(): Promise<number> {
    const path = `${collectionPath(ANY_COLLECTION)}?limit=1`;
    const { status, body } = await this.#calls.read(path);
    if (status === 404)
      throw new PlatformError(
        'not-found',
        'the cluster does not have the Tinkerbell kinds; install them with: tinkerbell crds apply',
      );
    if (status !== 200) throw this.#refused('list', ANY_COLLECTION, { status, body });
    return Number(listIn(body).metadata.resourceVersion);
  }

  async commit(writes: readonly Write[]): Promise<CommitResult> {
    try {
      if (this.#closing.signal.aborted) throw new PlatformError('unavailable', 'the store is closed');
      const current = await Promise.all(writes.map((write) => this.get(write.key)));
      return firstRefusal(writes, current) ?? (await this.#perform(writes, current));
    } catch (thrown) {
      return unavailable(writes[0], thrown);
    }
  }

  async #perform(
    writes: readonly Write[],
    current: readonly (StoredObject | undefined)[],
  ): Promise<CommitResult> {
    const objects: StoredObject[] = [];
    for (const [index, write] of writes.entries()) {
      const seen = this.#expect(write);
      const deps = { calls: this.#calls, fields: this.#fields, url: this.#client.url };
      const written = await performWrite(deps, write, current[index]);
      if (!written.ok) return written.refusal;
      const change = await seen(Number(written.object.metadata.resourceVersion));
      const isGone = write.operation === 'delete';
      const stored = storedFrom(write.key, written.object);
      objects.push(isGone ? { ...stored, revision: change?.revision ?? (await this.revision()) } : stored);
    }
    return { ok: true, revision: objects.at(-1)?.revision ?? 0, objects };
  }

  /** Call it before a write. The returned function waits until the watchers concerned have received the change. */
  #expect({ key, operation }: Write): (revision: number) => Promise<Change | undefined> {
    const concerned = [...this.#watchers].filter(({ query }) => concerns(query, key));
    const waits = concerned.map(({ expecting }) => {
      const told: Change[] = [];
      let check: (change: Change) => void = () => undefined;
      const take = (change: Change): void => {
        if (pathOf(change.key) !== pathOf(key)) return;
        told.push(change);
        check(change);
      };
      expecting.add(take);
      return async (revision: number) => {
        const isIt = (change: Change) =>
          operation === 'delete' ? change.type === 'deleted' : change.revision >= revision;
        const seen = new Promise<Change>((resolve) => {
          check = (change) => isIt(change) && resolve(change);
          told.forEach(check);
        });
        const found = await Promise.race([seen, delay(this.#options.clock, SEEN_LIMIT_MS)]);
        expecting.delete(take);
        return found ?? undefined;
      };
    });
    return async (revision) => (await Promise.all(waits.map((wait) => wait(revision))))[0];
  }

  async watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    const watcher: Watcher = { query, handlers, stopping: new AbortController(), expecting: new Set() };
    const collections = query.collection === undefined ? knownCollections : [query.collection];
    const results = await Promise.all(
      collections.map((collection) => this.#watchOne(watcher, collection)),
    ).catch((thrown: unknown) => {
      watcher.stopping.abort();
      throw thrown;
    });
    if (results.includes('compacted')) {
      watcher.stopping.abort();
      return { ok: false, reason: 'compacted', oldestRevision: await this.revision() };
    }
    this.#watchers.add(watcher);
    return { ok: true, stop: () => this.#stop(watcher) };
  }

  #watchOne(watcher: Watcher, collection: string): Promise<'compacted' | 'watching'> {
    const { query, handlers, stopping, expecting } = watcher;
    return watchCollection({
      client: this.#client,
      contact: this.#contact,
      clock: this.#options.clock,
      random: this.#options.random,
      patienceMs: () => this.#patienceMs(),
      collection,
      namespace: query.namespace,
      fromRevision: query.fromRevision,
      signal: stopping.signal,
      onChange(change) {
        handlers.onChange(change);
        for (const expect of expecting) expect(change);
      },
      onEnd: (reason) => {
        if (this.#stop(watcher)) handlers.onEnd(reason);
      },
    });
  }

  /** Returns false when it was already stopped. */
  #stop(watcher: Watcher): boolean {
    watcher.stopping.abort();
    return this.#watchers.delete(watcher);
  }

  close(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    this.#closing.abort();
    for (const watcher of this.#watchers) {
      this.#stop(watcher);
      watcher.handlers.onEnd('the store was closed');
    }
    this.#client.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #refused(verb: string, collection: string, { status, body }: Answer): PlatformError {
    return refused({ url: this.#client.url, verb, collection, status, text: messageIn(body) });
  }
}

function storedFrom(key: ObjectKey, object: Resource): StoredObject {
  const revision = Number(object.metadata.resourceVersion);
  return { key, revision, object: withFieldsRestored(key.collection, object) };
}

function concerns(query: WatchQuery, key: ObjectKey): boolean {
  return (
    (query.collection === undefined
      ? knownCollections.includes(key.collection)
      : query.collection === key.collection) &&
    (query.namespace === undefined || query.namespace === key.namespace)
  );
}

function pathOf({ collection, namespace, name }: ObjectKey): string {
  return `${collection}\n${namespace}\n${name}`;
}

function compare(a: { namespace: string; name: string }, b: { namespace: string; name: string }): number {
  const [one, other] = [`${a.namespace}\n${a.name}`, `${b.namespace}\n${b.name}`];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
