/**
 * The store in one SQLite file, in WAL mode. Commits that arrive together share one transaction and one sync to disk: those of
 * one turn of the event loop, those of a few turns after it as long as each brings more, and those that arrive while the previous
 * group is synced. Each still succeeds or fails by itself, because its conditions are checked before its first write. Answers,
 * reads of changed objects and watch events follow the sync, which runs beside the event loop.
 */
import { DatabaseSync } from 'node:sqlite';
import { messageOf, nextTurn, type Log } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import {
  changeOf,
  formatKey,
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
import { assertIntact, openAcknowledged, type AcknowledgedFile } from './integrity/index.ts';
import { setAutocheckpoint, type Checkpoints } from './checkpoints.ts';
import { KnownObjects } from './known-objects.ts';
import { openLog, type LogSync, type SyncLog } from './log-sync.ts';
import { ObjectTables } from './object-tables.ts';
import { prepareSchema } from './schema.ts';

export interface SqliteStoreOptions {
  /** The file, whose folder must exist. `:memory:` is for tests. */
  readonly path: string;
  readonly log: Log;
  /** How many changes a watch can go back. */
  readonly changesKept?: number;
  /** Syncs the log to the disk. Tests of failing disks replace it. */
  readonly syncLog?: SyncLog;
  /** `assertIntact` has just verified the whole file. */
  readonly isVerified?: boolean;
  /** Without it, SQLite checkpoints inside a commit. */
  readonly checkpoints?: Checkpoints;
}

const CHANGES_KEPT = 10_000;
/** Old changes are removed once in this many revisions, so that most commits skip it. */
const TRIM_EVERY = 256;
/** A rack's workflows and its Hardware. The view holds most of them too: the same values, not copies. */
const RECENT_MAX = 4_096;
/** How many objects of a page are looked up to decide how to read the page. */
const KNOWN_SAMPLE = 16;
/** How long another process (a backup, an inspection) may lock the file. */
const BUSY_TIMEOUT_MS = 1000;

/** The number of turns that a commit waits for others, as long as each brings one. A turn is shorter than a sync. */
const GATHER_TURNS = 4;
/** The interval of retries after a failed sync. */
const RESYNC_MS = 1_000;

interface Written {
  readonly outcomes: readonly Outcome[];
  readonly changes: readonly Change[];
}

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
  readonly #tables: ObjectTables;
  readonly #known = new KnownObjects(RECENT_MAX);
  readonly #sync: LogSync | undefined;
  readonly #acknowledged: AcknowledgedFile | undefined;
  readonly #checkpoints: Checkpoints | undefined;
  #pending: PendingCommit[] = [];
  /** Resolves when the group in progress is on the disk. */
  #syncing: Promise<void> | undefined;
  /** Resolves when the group is on the disk, or when the disk has failed. Reads continue then. */
  #firstTry: Promise<boolean> | undefined;
  /** The changes of that group. */
  #unsynced: ReadonlySet<string> = new Set();
  #isDiskFailing = false;
  #cancelRest = (): void => undefined;
  #revision: number;
  /** The last revision that watchers have received. */
  #durableRevision: number;
  #lastTrim = 0;
  #closed = false;

  constructor(options: SqliteStoreOptions) {
    this.#log = options.log;
    this.#changesKept = options.changesKept ?? CHANGES_KEPT;
    const isFile = options.path !== ':memory:';
    if (isFile && options.isVerified !== true) assertIntact(options.path, ['store']);
    this.#database = new DatabaseSync(options.path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full');
    this.#acknowledged = openAcknowledged(this.#database, {
      path: options.path,
      part: 'store',
      prepare: () => prepareSchema(this.#database, options.path),
    });
    // From here on the store syncs by itself, except for checkpoints.
    this.#database.exec('pragma synchronous = normal');
    this.#checkpoints = options.checkpoints;
    setAutocheckpoint(this.#database, this.#checkpoints);
    this.#sync = isFile ? openLog(this.#database, options) : undefined;
    this.#tables = new ObjectTables(this.#database);
    this.#revision = this.#tables.revision;
    this.#durableRevision = this.#revision;
  }

  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    const path = formatKey(key);
    if (this.#unsynced.has(path)) await this.#firstTry;
    return this.#read(key, path);
  }

  /** No other process writes the file, so cached objects are current. */
  #read(key: ObjectKey, path = formatKey(key)): StoredObject | undefined {
    const known = this.#known.get(key, path);
    if (known !== undefined || this.#known.isAbsent(key, path)) return known;
    const stored = this.#tables.get(key);
    if (stored === undefined) this.#known.absent(key);
    else this.#known.set(stored);
    return stored;
  }

  async list(query: ListQuery): Promise<ObjectList> {
    await this.#firstTry;
    const limit = query.limit ?? Number.MAX_SAFE_INTEGER - 1;
    const found = this.#objectsOf(query, limit + 1);
    const items = found.slice(0, limit);
    const last = items.at(-1)?.key;
    const next =
      found.length > limit && last !== undefined ? { namespace: last.namespace, name: last.name } : undefined;
    return { items, revision: this.#durableRevision, ...(next === undefined ? {} : { next }) };
  }

  /** Reads a page as a whole if most of its first objects are not in memory. */
  #objectsOf(query: ListQuery, count: number): readonly StoredObject[] {
    const first = this.#tables.keys(query, Math.min(count, KNOWN_SAMPLE));
    const known = first.filter((key) => this.#known.has(key)).length;
    return known > first.length / 2
      ? this.#tables.keys(query, count).map((key) => this.#listed(key))
      : this.#tables.list(query, count).map((stored) => this.#known.listed(stored));
  }

  #listed(key: ObjectKey): StoredObject {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const stored = this.#tables.get(key);
    if (stored === undefined) throw new Error(`the store lists ${formatKey(key)} and does not have it`);
    return this.#known.listed(stored);
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    return new Promise((resolve) => {
      if (this.#closed || this.#isDiskFailing) {
        resolve(unavailable(writes, this.#closed ? 'the store is closed' : 'the disk fails'));
        return;
      }
      this.#pending.push({ writes, resolve });
      if (this.#pending.length === 1) this.#gather(0, GATHER_TURNS);
    });
  }

  /** Writes when a turn of the event loop brought no more commits. */
  #gather(gathered: number, turnsLeft: number): void {
    setImmediate(() => {
      const count = this.#pending.length;
      if (count > gathered && turnsLeft > 0) this.#gather(count, turnsLeft - 1);
      else this.#flush();
    });
  }

  /** Writes the queued commits, unless a group is being synced. Then they follow that group, or the end of a checkpoint. */
  #flush(): void {
    if (this.#syncing !== undefined) return;
    const held = this.#checkpoints?.held;
    if (held !== undefined) return void held.then(() => this.#flush());
    const group = this.#pending;
    this.#pending = [];
    if (group.length === 0) return;
    const written = this.#write(group);
    if (written === undefined) return;
    if (written.changes.length === 0 || this.#sync === undefined) return this.#answer(group, written);
    this.#unsynced = new Set(written.changes.map(({ key }) => formatKey(key)));
    this.#syncing = this.#makeDurable(this.#sync, group, written);
  }

  /** Never rejects. */
  async #makeDurable(sync: LogSync, group: readonly PendingCommit[], written: Written): Promise<void> {
    this.#firstTry = this.#trySync(sync.run(), group);
    const isDurable = await this.#firstTry;
    while (this.#isDiskFailing && !this.#closed) await this.#trySync(this.#resync(), []);
    this.#syncing = undefined;
    this.#firstTry = undefined;
    this.#unsynced = new Set();
    this.#checkpoints?.written(this.#database);
    if (!this.#isDiskFailing) this.#answer(isDurable ? group : [], written);
    // One turn later, so that waiting readers run before the next group.
    if (this.#pending.length > 0) this.#gather(0, 1);
  }

  async #trySync(sync: Promise<void>, group: readonly PendingCommit[]): Promise<boolean> {
    try {
      await sync;
      // This runs before any acknowledgement, so that the loss of acknowledged data is detected.
      this.#acknowledged?.write(this.#tables.tallies());
      this.#isDiskFailing = false;
      return true;
    } catch (thrown) {
      this.#tellFailing(group, thrown);
      return false;
    }
  }

  /** A durable commit is acknowledged even when watchers fail. */
  #answer(group: readonly PendingCommit[], { outcomes, changes }: Written): void {
    this.#durableRevision = this.#revision;
    for (const [index, outcome] of outcomes.entries()) group[index]?.resolve(resultOf(outcome));
    this.#hub.publish(changes);
  }

  /**
   * It is unknown whether the group is on the disk. No commit is acknowledged. Readers and watchers see it when a later sync has
   * succeeded.
   */
  #tellFailing(group: readonly PendingCommit[], thrown: unknown): void {
    const isNew = !this.#isDiskFailing;
    this.#isDiskFailing = true;
    if (isNew) this.#log.error('the disk does not confirm writes', { error: String(thrown) });
    const message = `the disk did not confirm the write, which may be stored nevertheless: ${String(thrown)}`;
    for (const one of [...group, ...this.#pending]) one.resolve(unavailable(one.writes, message));
    this.#pending = [];
  }

  /**
   * After a failed sync, a file may report a successful sync the next time although data is lost. A checkpoint writes all of the
   * log again, to the database itself, and syncs that.
   */
  async #resync(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RESYNC_MS);
      this.#cancelRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const row = this.#database.prepare('pragma wal_checkpoint(full)').get();
    if (row?.['busy'] !== 0) throw new Error('the database is in use');
    this.#log.info('the disk accepts writes again');
  }

  /** Writes one transaction for all queued commits. Returns undefined when the disk did not accept it. */
  #write(group: readonly PendingCommit[]): Written | undefined {
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

  /** Nothing of the group was written. Report this to every waiting caller, and continue with the next group. */
  #abandon(group: readonly PendingCommit[], cause: unknown): void {
    const message = messageOf(cause);
    this.#log.error('store could not write', { error: message, commits: group.length });
    this.#known.clear();
    if (this.#database.isTransaction) this.#database.exec('rollback');
    this.#tables.reload();
    for (const one of group) one.resolve(unavailable(one.writes, `the store could not write: ${message}`));
  }

  #perform(writes: readonly Write[]): Outcome {
    for (const write of writes) {
      const refusal = refusalOf(write, this.#read(write.key));
      if (refusal !== undefined) return { refusal };
    }
    const texts = new Map<Resource, string>();
    return { changes: writes.map((write) => this.#apply(write, texts)), texts };
  }

  #apply(write: Write, texts: Map<Resource, string>): Change {
    this.#revision += 1;
    const current = write.operation === 'delete' ? this.#read(write.key) : undefined;
    const change = changeOf(write, current, this.#revision);
    const { key, revision, object } = change;
    const { text, checksum } = this.#tables.write(change, this.#known.checksumOf(key));
    texts.set(object, text);
    if (change.type === 'deleted') this.#known.delete(key);
    else this.#known.set({ key, revision, object }, checksum);
    return change;
  }

  #finish(): void {
    if (this.#revision - this.#lastTrim >= Math.min(TRIM_EVERY, this.#changesKept)) {
      this.#lastTrim = this.#revision;
      this.#tables.trim(this.#revision - this.#changesKept);
    }
    this.#tables.save(this.#revision);
  }

  async watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    await this.#firstTry;
    for (let after = query.fromRevision; ;) {
      if (this.#closed) {
        handlers.onEnd('the store was closed');
        return { ok: true, stop: () => undefined };
      }
      const oldest = (this.#tables.oldestChange() ?? this.#revision + 1) - 1;
      if (after < oldest) return { ok: false, reason: 'compacted', oldestRevision: oldest };
      const { changes, isWhole } = this.#tables.changes(query, { after, until: this.#durableRevision });
      if (isWhole) return { ok: true, stop: this.#hub.add(query, handlers, changes) };
      // An object that was large to read is large to encode too.
      await nextTurn();
      for (const change of changes) handlers.onChange(change);
      after = changes.at(-1)?.revision ?? after;
      await nextTurn();
    }
  }

  async revision(): Promise<number> {
    await this.#firstTry;
    return this.#durableRevision;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#syncing !== undefined || this.#pending.length > 0) {
      await this.#checkpoints?.held;
      this.#flush();
      this.#cancelRest();
      await this.#syncing;
      if (this.#isDiskFailing) break;
    }
    this.#hub.end('the store was closed');
    await this.#sync?.close();
    await this.#acknowledged?.close();
    this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

type Outcome =
  | { readonly changes: readonly Change[]; readonly texts: ReadonlyMap<Resource, string> }
  | { readonly refusal: CommitResult };

function resultOf(outcome: Outcome): CommitResult {
  if ('refusal' in outcome) return outcome.refusal;
  const { changes, texts } = outcome;
  const objects = changes.map(({ key, revision, object }) => ({ key, revision, object }));
  return { ok: true, revision: changes.at(-1)?.revision ?? 0, objects, texts };
}

function unavailable(writes: readonly Write[], message: string): CommitResult {
  const key = writes[0]?.key ?? { collection: '', namespace: '', name: '' };
  return { ok: false, reason: 'unavailable', key, message };
}
