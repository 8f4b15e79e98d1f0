/** Passes everything to the underlying store, but encrypts the values of secrets there. */
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
import type { Cipher } from './cipher.ts';

export interface SealedStoreOptions {
  /** Closed together with this store. */
  readonly store: Store;
  readonly cipher: Cipher;
  /** Only `secrets` when absent. */
  readonly collections?: readonly string[];
}

const FIELDS = ['data', 'stringData'] as const;

export function createSealedStore(options: SealedStoreOptions): Store {
  return new SealedStore(options);
}

class SealedStore implements Store {
  readonly #store: Store;
  readonly #cipher: Cipher;
  readonly #collections: ReadonlySet<string>;

  constructor({ store, cipher, collections = ['secrets'] }: SealedStoreOptions) {
    this.#store = store;
    this.#cipher = cipher;
    this.#collections = new Set(collections);
  }

  /** Rejects when the secret cannot be opened. */
  get(key: ObjectKey): Promise<StoredObject | undefined> {
    return this.#collections.has(key.collection) ? this.#getSealed(key) : this.#store.get(key);
  }

  async #getSealed(key: ObjectKey): Promise<StoredObject | undefined> {
    const stored = await this.#store.get(key);
    return stored === undefined ? undefined : this.#opened(stored);
  }

  async list(query: ListQuery): Promise<ObjectList> {
    const list = await this.#store.list(query);
    return { ...list, items: list.items.map((stored) => this.#opened(stored)) };
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    const hasSealed = writes.some(({ key }) => this.#collections.has(key.collection));
    return hasSealed ? this.#commitSealed(writes) : this.#store.commit(writes);
  }

  async #commitSealed(writes: readonly Write[]): Promise<CommitResult> {
    const result = await this.#store.commit(writes.map((write) => this.#sealed(write)));
    if (!result.ok) return result;
    return { ...result, objects: result.objects.map((stored) => this.#opened(stored)) };
  }

  /** Ends at a change that cannot be decrypted. */
  async watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    const ending = new AbortController();
    const watch = await this.#store.watch(query, {
      onChange: (change) => {
        if (ending.signal.aborted) return;
        const opened = this.#tryOpen(change);
        if (typeof opened !== 'string') return handlers.onChange(opened);
        ending.abort();
        handlers.onEnd(opened);
      },
      onEnd: (reason) => {
        if (!ending.signal.aborted) handlers.onEnd(reason);
      },
    });
    if (watch.ok && ending.signal.aborted) watch.stop();
    else if (watch.ok) ending.signal.addEventListener('abort', watch.stop, { once: true });
    return watch;
  }

  revision(): Promise<number> {
    return this.#store.revision();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #sealed(write: Write): Write {
    if (write.operation === 'delete' || !this.#collections.has(write.key.collection)) return write;
    const seal = (text: string, context: string) => this.#cipher.seal(text, context);
    return { ...write, object: mapped(write.key, write.object, seal) };
  }

  #opened<Value extends StoredObject | Change>(value: Value): Value {
    if (!this.#collections.has(value.key.collection)) return value;
    const open = (text: string, context: string) => this.#cipher.open(text, context);
    return { ...value, object: mapped(value.key, value.object, open) };
  }

  #tryOpen(change: Change): Change | string {
    try {
      return this.#opened(change);
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
}

/** Converts each text in the sealed fields by `convert`, with its whole place as context. */
function mapped(
  { collection, namespace, name }: ObjectKey,
  object: Resource,
  convert: (text: string, context: string) => string,
): Resource {
  const fields: Readonly<Record<string, unknown>> = { ...object };
  const changed = FIELDS.flatMap((field) => {
    const values = fields[field];
    if (typeof values !== 'object' || values === null) return [];
    const converted = Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? convert(value, [collection, namespace, name, field, key].join('\n'))
        : value,
    ]);
    return [[field, Object.fromEntries(converted)]];
  });
  return { ...object, ...Object.fromEntries(changed) };
}
