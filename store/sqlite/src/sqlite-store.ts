/**
 * The store in one SQLite file, in WAL mode with full synchronisation. Commits that arrive together share one
 * transaction and one sync to disk: those of one turn of the event loop, and those of a few turns after it as long as
 * each brings more. Each still succeeds or fails by itself, because its conditions are
 * checked before its first write. Answers and watch events follow the sync.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Log } from '@tinkerbell/platform-contract';
import {
  changeOf,
  refusalOf,
  WatchHub,
  type Change,
  type CommitResult,
  type ListQuery,
  type ObjectKey,
  type ObjectList,
  type Store,
  type StoredObject,
  type WatchHandlers,
  type WatchQuery,
  type WatchResult,
  type Write,
} from '@tinkerbell/store-contract';
import { RecentObjects } from './recent-objects.ts';
import { changeFrom, storedFrom } from './rows.ts';
import { prepareSchema } from './schema.ts';

export interface SqliteStoreOptions {
  /** The file; its folder must exist. `:memory:` for tests. */
  readonly path: string;
  readonly log: Log;
  /** How many changes a watch can go back. */
  readonly changesKept?: number;
}

const CHANGES_KEPT = 10_000;
/** Old changes are removed every so many revisions, so that most commits need not look. */
const TRIM_EVERY = 256;
/** A rack's workflows and its Hardware. The view has most of them too: the same values, not copies. */
const RECENT_MAX = 4_096;
/** Another process (a backup, an inspection) may hold the file this long. */
const BUSY_TIMEOUT_MS = 1000;

/** Turns that a commit waits for others, as long as each brings one: a turn is shorter than a sync. */
const GATHER_TURNS = 4;

interface PendingCommit {
  readonly writes: readonly Write[];
  readonly resolve: (result: CommitResult) => void;
}

/** Throws when the file cannot be opened, is damaged, or was written by a newer program. */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  return new SqliteStore(options);
}

class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #log: Log;
  readonly #hub = new WatchHub();
  readonly #changesKept: number;
  readonly #statements: Statements;
  readonly #recent = new RecentObjects(RECENT_MAX);
  #pending: PendingCommit[] = [];
  #revision: number;
  #lastTrim = 0;
  #closed = false;

  constructor(options: SqliteStoreOptions) {
    this.#log = options.log;
    this.#changesKept = options.changesKept ?? CHANGES_KEPT;
    this.#database = new DatabaseSync(options.path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full');
    prepareSchema(this.#database, options.path);
    this.#statements = prepareStatements(this.#database);
    this.#revision = Number(this.#statements.revision.get()?.['revision']);
  }

  get(key: ObjectKey): Promise<StoredObject | undefined> {
    return settle(() => this.#read(key));
  }

  /** Nobody else writes the file, so what is remembered is what is there. */
  #read(key: ObjectKey): StoredObject | undefined {
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const row = this.#statements.get.get(key.collection, key.namespace, key.name);
    if (row === undefined) return undefined;
    const stored = storedFrom(row);
    this.#recent.set(stored);
    return stored;
  }

  list(query: ListQuery): Promise<ObjectList> {
    return settle(() => {
      const after = query.after ?? { namespace: '', name: '' };
      const limit = query.limit ?? Number.MAX_SAFE_INTEGER - 1;
      const rows = this.#statements.list.all({
        collection: query.collection,
        namespace: query.namespace ?? null,
        afterNamespace: after.namespace,
        afterName: after.name,
        count: limit + 1,
      });
      const items = rows.slice(0, limit).map((row) => storedFrom(row));
      const last = items.at(-1)?.key;
      const next =
        rows.length > limit && last !== undefined
          ? { namespace: last.namespace, name: last.name }
          : undefined;
      return { items, revision: this.#revision, ...(next === undefined ? {} : { next }) };
    });
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    return new Promise((resolve) => {
      if (this.#closed) {
        resolve(unavailable(writes, 'the store is closed'));
        return;
      }
      this.#pending.push({ writes, resolve });
      if (this.#pending.length === 1) this.#gather(0, GATHER_TURNS);
    });
  }

  /** Writes when a turn of the event loop brought nothing more. */
  #gather(gathered: number, turnsLeft: number): void {
    setImmediate(() => {
      const count = this.#pending.length;
      if (count > gathered && turnsLeft > 0) this.#gather(count, turnsLeft - 1);
      else this.#flush();
    });
  }

  /** Once it is durable it is answered, whatever watchers make of it. */
  #flush(): void {
    const group = this.#pending;
    this.#pending = [];
    if (group.length === 0) return;
    const written = this.#write(group);
    if (written === undefined) return;
    for (const [index, outcome] of written.outcomes.entries()) group[index]?.resolve(resultOf(outcome));
    this.#hub.publish(written.changes);
  }

  /** One transaction for everything that waits; undefined when the disk did not take it. */
  #write(group: readonly PendingCommit[]) {
    const before = this.#revision;
    try {
      this.#database.exec('begin immediate');
      const outcomes = group.map((one) => this.#perform(one.writes));
      const changes = outcomes.flatMap((outcome) => ('changes' in outcome ? outcome.changes : []));
      if (changes.length > 0) this.#finish();
      this.#database.exec('commit');
      return { outcomes, changes };
    } catch (thrown) {
      this.#revision = before;
      this.#abandon(group, thrown);
      return undefined;
    }
  }

  /** Nothing of the group was written: say so to everyone who waits, and go on with the next group. */
  #abandon(group: readonly PendingCommit[], cause: unknown): void {
    const message = cause instanceof Error ? cause.message : String(cause);
    this.#log.error('store could not write', { error: message, commits: group.length });
    this.#recent.clear();
    if (this.#database.isTransaction) this.#database.exec('rollback');
    for (const one of group) one.resolve(unavailable(one.writes, `the store could not write: ${message}`));
  }

  #perform(writes: readonly Write[]): Outcome {
    for (const write of writes) {
      const refusal = refusalOf(write, this.#read(write.key));
      if (refusal !== undefined) return { refusal };
    }
    return { changes: writes.map((write) => this.#apply(write)) };
  }

  #apply(write: Write): Change {
    this.#revision += 1;
    const current = write.operation === 'delete' ? this.#read(write.key) : undefined;
    const change = changeOf(write, current, this.#revision);
    const { collection, namespace, name } = change.key;
    const text = JSON.stringify(change.object);
    if (change.type === 'deleted') {
      this.#statements.remove.run(collection, namespace, name);
      this.#recent.delete(change.key);
    } else {
      this.#statements.put.run(collection, namespace, name, change.revision, text);
      this.#recent.set({ key: change.key, revision: change.revision, object: change.object });
    }
    this.#statements.change.run(change.revision, change.type, collection, namespace, name, text);
    return change;
  }

  #finish(): void {
    this.#statements.count.run(this.#revision);
    if (this.#revision - this.#lastTrim < Math.min(TRIM_EVERY, this.#changesKept)) return;
    this.#lastTrim = this.#revision;
    this.#statements.trim.run(this.#revision - this.#changesKept);
  }

  watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    return settle((): WatchResult => {
      const oldest = Number(this.#statements.oldest.get()?.['oldest'] ?? this.#revision + 1) - 1;
      if (query.fromRevision < oldest) return { ok: false, reason: 'compacted', oldestRevision: oldest };
      const missed = this.#statements.since.all(query.fromRevision).map((row) => changeFrom(row));
      return { ok: true, stop: this.#hub.add(query, handlers, missed) };
    });
  }

  revision(): Promise<number> {
    return Promise.resolve(this.#revision);
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#flush();
    this.#closed = true;
    this.#hub.end('the store was closed');
    this.#database.close();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

type Outcome = { readonly changes: readonly Change[] } | { readonly refusal: CommitResult };

function resultOf(outcome: Outcome): CommitResult {
  if ('refusal' in outcome) return outcome.refusal;
  const objects = outcome.changes.map(({ key, revision, object }) => ({ key, revision, object }));
  return { ok: true, revision: outcome.changes.at(-1)?.revision ?? 0, objects };
}

function unavailable(writes: readonly Write[], message: string): CommitResult {
  const key = writes[0]?.key ?? { collection: '', namespace: '', name: '' };
  return { ok: false, reason: 'unavailable', key, message };
}

/** A synchronous body as a promise, so that its error rejects instead of throwing. */
function settle<Value>(body: () => Value): Promise<Value> {
  return new Promise((resolve) => resolve(body()));
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    revision: prepare('select revision from counter'),
    count: prepare('update counter set revision = ?'),
    get: prepare('select * from objects where collection = ? and namespace = ? and name = ?'),
    list: prepare(`select * from objects
      where collection = :collection and (:namespace is null or namespace = :namespace)
        and (namespace, name) > (:afterNamespace, :afterName)
      order by namespace, name limit :count`),
    put: prepare('insert or replace into objects values (?, ?, ?, ?, ?)'),
    remove: prepare('delete from objects where collection = ? and namespace = ? and name = ?'),
    change: prepare('insert into changes values (?, ?, ?, ?, ?, ?)'),
    trim: prepare('delete from changes where revision <= ?'),
    oldest: prepare('select min(revision) as oldest from changes'),
    since: prepare('select * from changes where revision > ? order by revision'),
  };
}
