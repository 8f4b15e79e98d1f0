/**
 * The store in one SQLite file, in WAL mode. Commits that arrive together share one transaction and one sync to disk: those of
 * one turn of the event loop, those of a few turns after it as long as each brings more, and those that arrive while
 * the group before them is synced. Each still succeeds or fails by itself, because its conditions are checked before
 * its first write. Answers, reads of what was changed and watch events follow the sync, which runs beside the event loop.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '@tinkerbell/platform-contract';
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
import { KnownObjects } from './known-objects.ts';
import { openLog, type LogSync, type SyncLog } from './log-sync.ts';
import { ObjectTables } from './object-tables.ts';
import { prepareSchema } from './schema.ts';

export interface SqliteStoreOptions {
  /** The file; its folder must exist. `:memory:` for tests. */
  readonly path: string;
  readonly log: Log;
  /** How many changes a watch can go back. */
  readonly changesKept?: number;
  /** How the log gets to the disk; for tests of disks that fail. */
  readonly syncLog?: SyncLog;
  /** `assertIntact` was called for all of the file a moment ago. */
  readonly isVerified?: boolean;
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
/** In pages of 4 KiB. A checkpoint blocks the event loop, so it is worth being rare; a start reads so much more. */
const CHECKPOINT_PAGES = 4_000;
/** After a sync that failed the disk is tried again so often. */
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
  #pending: PendingCommit[] = [];
  /** Resolves when the group on its way to the disk is there. */
  #syncing: Promise<void> | undefined;
  /** Resolves when it is there, or when the disk has failed: reads go on then. */
  #firstTry: Promise<boolean> | undefined;
  /** What that group changes. */
  #unsynced: ReadonlySet<string> = new Set();
  #isDiskFailing = false;
  #cancelRest = (): void => undefined;
  #revision: number;
  /** What watchers have been told of. */
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
    // From here on the store syncs by itself, but for checkpoints.
    this.#database.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    this.#sync = isFile ? openLog(this.#database, options) : undefined;
    this.#tables = new ObjectTables(this.#database);
    this.#revision = this.#tables.revision;
    this.#durableRevision = this.#revision;
  }

  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    if (this.#unsynced.has(formatKey(key))) await this.#firstTry;
    return this.#read(key);
  }

  /** Nobody else writes the file, so what is remembered is what is there. */
  #read(key: ObjectKey): StoredObject | undefined {
    const known = this.#known.get(key);
    if (known !== undefined || this.#known.isAbsent(key)) return known;
    const stored = this.#tables.get(key);
    if (stored === undefined) this.#known.absent(key);
    else this.#known.set(stored);
    return stored;
  }

  async list(query: ListQuery): Promise<ObjectList> {
    await this.#firstTry;
    const limit = query.limit ?? Number.MAX_SAFE_INTEGER - 1;
    const keys = this.#tables.keys(query, limit + 1);
    const items = keys.slice(0, limit).map((key) => this.#listed(key));
    const last = items.at(-1)?.key;
    const next =
      keys.length > limit && last !== undefined ? { namespace: last.namespace, name: last.name } : undefined;
    return { items, revision: this.#durableRevision, ...(next === undefined ? {} : { next }) };
  }

  /** What nobody has in memory is read one by one: that costs little beside parsing it. */
  #listed(key: ObjectKey): StoredObject {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const stored = this.#tables.get(key);
    if (stored === undefined) throw new Error(`the store lists ${formatKey(key)} and does not have it`);
    this.#known.listed(stored);
    return stored;
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

  /** Writes when a turn of the event loop brought nothing more. */
  #gather(gathered: number, turnsLeft: number): void {
    setImmediate(() => {
      const count = this.#pending.length;
      if (count > gathered && turnsLeft > 0) this.#gather(count, turnsLeft - 1);
      else this.#flush();
    });
  }

  /** What waits is written, unless a group is on its way to the disk: then it follows that one. */
  #flush(): void {
    if (this.#syncing !== undefined) return;
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
    if (!this.#isDiskFailing) this.#answer(isDurable ? group : [], written);
    // A turn later: who waited to read comes before the next group.
    if (this.#pending.length > 0) this.#gather(0, 1);
  }

  async #trySync(sync: Promise<void>, group: readonly PendingCommit[]): Promise<boolean> {
    try {
      await sync;
      // Before anybody is answered: what is acknowledged is missed when it is lost.
      this.#acknowledged?.write(this.#tables.tallies());
      this.#isDiskFailing = false;
      return true;
    } catch (thrown) {
      this.#tellFailing(group, thrown);
      return false;
    }
  }

  /** Once it is durable it is answered, whatever watchers make of it. */
  #answer(group: readonly PendingCommit[], { outcomes, changes }: Written): void {
    this.#durableRevision = this.#revision;
    for (const [index, outcome] of outcomes.entries()) group[index]?.resolve(resultOf(outcome));
    this.#hub.publish(changes);
  }

  /**
   * Whether the group is on the disk is not known. Nobody is told yes; who reads or watches sees it when a later sync has succeeded.
   */
  #tellFailing(group: readonly PendingCommit[], thrown: unknown): void {
    const isNew = !this.#isDiskFailing;
    this.#isDiskFailing = true;
    if (isNew) this.#log.error('the disk does not confirm what was written', { error: String(thrown) });
    const message = `the disk did not confirm the write, which may be there all the same: ${String(thrown)}`;
    for (const one of [...group, ...this.#pending]) one.resolve(unavailable(one.writes, message));
    this.#pending = [];
  }

  /**
   * A file that failed to sync once may claim to be synced the next time without being so. A checkpoint writes all of the log
   * anew, to the database itself, and syncs that.
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
    this.#log.info('the disk takes writes again');
  }

  /** One transaction for everything that waits; undefined when the disk did not take it. */
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

  /** Nothing of the group was written: say so to everyone who waits, and go on with the next group. */
  #abandon(group: readonly PendingCommit[], cause: unknown): void {
    const message = cause instanceof Error ? cause.message : String(cause);
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
    return { changes: writes.map((write) => this.#apply(write)) };
  }

  #apply(write: Write): Change {
    this.#revision += 1;
    const current = write.operation === 'delete' ? this.#read(write.key) : undefined;
    const change = changeOf(write, current, this.#revision);
    this.#tables.write(change);
    if (change.type === 'deleted') this.#known.delete(change.key);
    else this.#known.set({ key: change.key, revision: change.revision, object: change.object });
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
      for (const change of changes) handlers.onChange(change);
      after = changes.at(-1)?.revision ?? after;
      await new Promise((resolve) => setImmediate(resolve));
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
