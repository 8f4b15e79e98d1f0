/**
 * The store in PostgreSQL, for any number of servers at once. Commits that arrive while others are being written share the next
 * transaction. A commit is acknowledged after PostgreSQL has it on its disk and the watchers of this server have received it.
 */
import { delay, nextTurn, type Clock, type Log } from '@tinkerbell/platform-contract';
import {
  storedFrom,
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
import { ChangeFeed } from './change-feed.ts';
import { CHANGES_CHANNEL, writeGroup, type GroupPlan, type Outcome } from './commit-group.ts';
import { openDatabase, type Database } from './database.ts';
import { followNotifications } from './notifications.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; `?sslmode=verify-full` and the other parameters of node-postgres. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How many changes a watch can go back. */
  readonly changesKept?: number;
}

const CHANGES_KEPT = 10_000;
const CONNECTIONS_MAX = 8;
/** Limits the time for which other servers wait. */
const GROUP_MAX = 200;
/** How long the store tries to determine whether a commit whose answer was lost has happened. */
const RESOLVE_LIMIT_MS = 60_000;
const RESOLVE_EVERY_MS = 200;

interface PendingCommit {
  readonly writes: readonly Write[];
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Rejects when PostgreSQL cannot be reached, or its tables were made by a newer program. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const database = await openDatabase({ ...options, connectionsMax: CONNECTIONS_MAX });
  const [row] = await database.read('select revision from tinkerbell.counter');
  return new PostgresStore(database, options, Number(row?.['revision']));
}

class PostgresStore implements Store {
  readonly #database: Database;
  readonly #options: PostgresStoreOptions;
  readonly #feed: ChangeFeed;
  readonly #notifications: { stop(): Promise<void> };
  #pending: PendingCommit[] = [];
  #writing: Promise<void> | undefined;
  /** Set while it is unknown whether the last group was committed. */
  #isResolving = false;
  #isClosed = false;

  constructor(database: Database, options: PostgresStoreOptions, revision: number) {
    this.#database = database;
    this.#options = options;
    this.#feed = new ChangeFeed(database, options.log, revision);
    this.#notifications = followNotifications({
      database,
      channel: CHANGES_CHANNEL,
      clock: options.clock,
      log: options.log,
      wake: (revisionText) => this.#feed.wake(revisionText),
    });
  }

  async get({ collection, namespace, name }: ObjectKey): Promise<StoredObject | undefined> {
    const [row] = await this.#database.read(
      'select * from tinkerbell.objects where collection = $1 and namespace = $2 and name = $3',
      [collection, namespace, name],
    );
    return row === undefined ? undefined : storedFrom(row);
  }

  /** One statement reads a consistent snapshot: the objects are those of the revision. */
  async list({ collection, namespace, limit, after }: ListQuery): Promise<ObjectList> {
    const rows = await this.#database.read(
      `select k.revision as list_revision, o.* from tinkerbell.counter k left join lateral (
         select * from tinkerbell.objects where collection = $1 and ($2::text is null or namespace = $2)
           and (namespace, name) > ($3, $4) order by namespace, name limit $5) o on true
       order by o.namespace, o.name`,
      [
        collection,
        namespace ?? null,
        after?.namespace ?? '',
        after?.name ?? '',
        limit === undefined ? null : limit + 1,
      ],
    );
    const found = rows.filter((row) => row['name'] !== null);
    const items = found.slice(0, limit).map((row) => storedFrom(row));
    const last = items.at(-1)?.key;
    const hasMore = found.length > items.length && last !== undefined;
    return {
      items,
      revision: Number(rows[0]?.['list_revision']),
      ...(hasMore ? { next: { namespace: last.namespace, name: last.name } } : {}),
    };
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return resolve(unavailable(writes, 'the store is closed'));
      if (this.#isResolving) return resolve(unavailable(writes, 'the connection to PostgreSQL is lost'));
      this.#pending.push({ writes, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Writes group after group until the queue is empty. All commits of one turn of the event loop are in one group. */
  async #writeAll(): Promise<void> {
    await nextTurn();
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0, GROUP_MAX);
      try {
        await this.#write(group);
      } catch (thrown) {
        for (const one of group) one.reject(thrown);
      }
    }
    this.#writing = undefined;
  }

  /** Rejects only when it cannot be determined whether the group was written. */
  async #write(group: readonly PendingCommit[]): Promise<void> {
    const outcome = await this.#transact(group);
    if ('cause' in outcome) {
      const message = outcome.cause instanceof Error ? outcome.cause.message : String(outcome.cause);
      this.#options.log.error('store could not write', { error: message, commits: group.length });
      for (const one of group) one.resolve(unavailable(one.writes, `the store could not write: ${message}`));
      return;
    }
    try {
      await this.#feed.tell(outcome.changes, outcome.before);
    } catch (thrown) {
      this.#options.log.warn('watchers receive the changes later', { error: String(thrown) });
    }
    for (const [index, one] of outcome.outcomes.entries()) group[index]?.resolve(resultOf(one));
  }

  /** `cause`: nothing was written. */
  async #transact(group: readonly PendingCommit[]): Promise<GroupPlan | { readonly cause: unknown }> {
    const kept = this.#options.changesKept ?? CHANGES_KEPT;
    let plan: GroupPlan | undefined;
    try {
      return await this.#database.withConnection(async (client) => {
        const written = await writeGroup(
          client,
          group.map(({ writes }) => writes),
          kept,
        );
        plan = written;
        await client.query('commit');
        return written;
      });
    } catch (cause) {
      if (plan === undefined) return { cause };
      return (await this.#wasCommitted(plan, cause)) ? plan : { cause };
    }
  }

  /** The answer to `commit` was lost, and PostgreSQL knows the outcome of the transaction. */
  async #wasCommitted({ transaction, changes }: GroupPlan, cause: unknown): Promise<boolean> {
    if (changes.length === 0) return true;
    const { clock, log } = this.#options;
    log.warn('the answer to a commit was lost; checking whether it happened', { error: String(cause) });
    this.#isResolving = true;
    try {
      const untilMs = clock.monotonicMs() + RESOLVE_LIMIT_MS;
      while (clock.monotonicMs() < untilMs) {
        const status = await this.#statusOf(transaction);
        if (status === 'committed' || status === 'aborted') return status === 'committed';
        await delay(clock, RESOLVE_EVERY_MS);
      }
      throw new Error('it is unknown whether the write happened: PostgreSQL does not answer', { cause });
    } finally {
      this.#isResolving = false;
    }
  }

  async #statusOf(transaction: string): Promise<unknown> {
    try {
      const [row] = await this.#database.read('select pg_xact_status($1::xid8) as status', [transaction]);
      return row?.['status'];
    } catch (thrown) {
      this.#options.log.debug('PostgreSQL does not answer', { error: String(thrown) });
      return undefined;
    }
  }

  watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    return this.#feed.watch(query, handlers);
  }

  async revision(): Promise<number> {
    const [row] = await this.#database.read('select revision from tinkerbell.counter');
    return Number(row?.['revision']);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#notifications.stop();
    this.#feed.close('the store was closed');
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function resultOf(outcome: Outcome): CommitResult {
  if ('refusal' in outcome) return outcome.refusal;
  const objects = outcome.changes.map(({ key, revision, object }) => ({ key, revision, object }));
  return { ok: true, revision: outcome.changes.at(-1)?.revision ?? 0, objects };
}

function unavailable(writes: readonly Write[], message: string): CommitResult {
  const key = writes[0]?.key ?? { collection: '', namespace: '', name: '' };
  return { ok: false, reason: 'unavailable', key, message };
}
