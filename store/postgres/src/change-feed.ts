/**
 * Delivers the changes of all servers, in order of revision, to the watchers of this one. This server's own writes are delivered
 * at once when no other server's writes came in between. All others are read from the table of changes.
 */
import type { Log } from '@tinkerbell/platform-contract';
import {
  changeFrom,
  WatchHub,
  type Change,
  type WatchHandlers,
  type WatchQuery,
  type WatchResult,
} from '@tinkerbell/store-contract';
import type { Database } from './database.ts';

/** The number of changes that are read at once. Each may contain a template. */
const PAGE = 500;

export class ChangeFeed {
  readonly #database: Database;
  readonly #log: Log;
  readonly #hub = new WatchHub();
  /** Every change up to this revision has been delivered. */
  #told: number;
  #reading: Promise<void> | undefined;
  #readingAgain: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database, log: Log, revision: number) {
    this.#database = database;
    this.#log = log;
    this.#told = revision;
  }

  /** Delivers the changes that this server has just committed after revision `before`. */
  async tell(changes: readonly Change[], before: number): Promise<void> {
    if (before === this.#told) this.#publish(changes);
    else if ((changes.at(-1)?.revision ?? 0) > this.#told) await this.catchUp();
  }

  /** Handles a notification. `revision` may be empty. */
  wake(revision: string): void {
    if (revision !== '' && Number(revision) <= this.#told) return;
    this.catchUp().catch((thrown: unknown) =>
      this.#log.debug('changes could not be read', { error: String(thrown) }),
    );
  }

  /** Resolves when everything committed before the call has been delivered. */
  catchUp(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => (this.#reading = undefined));
      return this.#reading;
    }
    // A read in progress may have started before the call.
    this.#readingAgain ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#readingAgain = undefined;
        return this.catchUp();
      });
    return this.#readingAgain;
  }

  async #read(): Promise<void> {
    for (;;) {
      const changes = await this.#page(this.#told);
      if (this.#isClosed) return;
      const first = changes.find(({ revision }) => revision > this.#told);
      if (first === undefined) return;
      if (first.revision > this.#told + 1) {
        // This server was disconnected for longer than changes are kept.
        this.#told = first.revision - 1;
        this.#hub.end('changes were dropped before they were read; list again');
      }
      this.#publish(changes);
      if (changes.length < PAGE) return;
    }
  }

  async #page(after: number): Promise<readonly Change[]> {
    const rows = await this.#database.read(
      'select * from tinkerbell.changes where revision > $1 order by revision limit $2',
      [after, PAGE],
    );
    return rows.map((row) => changeFrom(row));
  }

  /** Revisions have no gaps. Changes that arrived the other way in the meantime are not delivered again. */
  #publish(changes: readonly Change[]): void {
    const news = changes.filter(({ revision }) => revision > this.#told);
    this.#told = news.at(-1)?.revision ?? this.#told;
    this.#hub.publish(news);
  }

  /** Changes that are committed while old changes are read wait for their turn. */
  async watch(query: WatchQuery, handlers: WatchHandlers): Promise<WatchResult> {
    const upTo = this.#told;
    const watcher = new WaitingWatcher(query, handlers);
    const stop = this.#hub.add(query, watcher, []);
    try {
      const missed: Change[] = [];
      for (let after = query.fromRevision; after < upTo;) {
        const { compacted, changes } = await this.#since(after, upTo);
        if (compacted > after) {
          stop();
          return { ok: false, reason: 'compacted', oldestRevision: compacted };
        }
        missed.push(...changes);
        after = changes.length < PAGE ? upTo : (changes.at(-1)?.revision ?? upTo);
      }
      watcher.begin(missed.filter((change) => concerns(query, change)));
      return { ok: true, stop };
    } catch (thrown) {
      stop();
      throw thrown;
    }
  }

  /** One statement does both, so that no change is dropped between the check for completeness and the read. */
  async #since(after: number, upTo: number) {
    const rows = await this.#database.read(
      `select k.compacted, c.* from tinkerbell.counter k left join lateral (
         select * from tinkerbell.changes where revision > $1 and revision <= $2 order by revision limit $3) c on true
       order by c.revision`,
      [after, upTo, PAGE],
    );
    const changes = rows.filter((row) => row['revision'] !== null).map((row) => changeFrom(row));
    return { compacted: Number(rows[0]?.['compacted']), changes };
  }

  close(reason: string): void {
    this.#isClosed = true;
    this.#hub.end(reason);
  }
}

/** Holds back new changes until the old ones have been delivered. */
class WaitingWatcher implements WatchHandlers {
  readonly #from: number;
  readonly #handlers: WatchHandlers;
  #held: Change[] | undefined = [];
  #ended: string | undefined;

  constructor({ fromRevision }: WatchQuery, handlers: WatchHandlers) {
    this.#from = fromRevision;
    this.#handlers = handlers;
  }

  onChange(change: Change): void {
    // A revision that another server returned may be newer than the last one that this server has received.
    if (change.revision <= this.#from) return;
    if (this.#held === undefined) this.#handlers.onChange(change);
    else this.#held.push(change);
  }

  onEnd(reason: string): void {
    this.#ended = reason;
    if (this.#held === undefined) this.#handlers.onEnd(reason);
  }

  begin(missed: readonly Change[]): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const change of [...missed, ...held]) this.#handlers.onChange(change);
    if (this.#ended !== undefined) this.#handlers.onEnd(this.#ended);
  }
}

function concerns(query: WatchQuery, { key }: Change): boolean {
  return (
    (query.collection === undefined || query.collection === key.collection) &&
    (query.namespace === undefined || query.namespace === key.namespace)
  );
}
