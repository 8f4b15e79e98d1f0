/**
 * Checkpoints in another thread. By default, SQLite copies its log into the database inside the commit that fills the log, and
 * syncs both. Everything else in the process, packets included, would wait for the disk.
 *
 * Most of the log is copied beside the writers. They wait (`held`) while the rest of it is copied and the log starts anew, because
 * SQLite syncs its first frame as well. The event loop never waits.
 */
import { once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Log } from '@tinkerbell/platform-contract';
import type { CheckpointRequest } from './checkpoint-worker.ts';

/** In pages of 4 KiB. A start has to read a log of this size. */
const PAGES = 4_000;
/** SQLite checkpoints inside a commit when the log is this many times as long all the same. */
const LATEST = 4;
const CHECK_AFTER_MS = 50;
/** After a checkpoint that failed, or that a reader prevented from being complete. */
const RETRY_AFTER_MS = 1_000;
/** A thread costs 9 MB while it exists. */
const IDLE_MS = 10_000;

export interface CheckpointsOptions {
  /** The database file. */
  readonly path: string;
  readonly log: Log;
  /** The length of the log at which a checkpoint starts. */
  readonly pages?: number;
  /** How long the thread waits for the next checkpoint before it ends. */
  readonly idleMs?: number;
}

/** All connections of the process that write the file share one instance, which is closed after them. */
export class Checkpoints implements AsyncDisposable {
  readonly #options: CheckpointsOptions;
  readonly #pages: number;
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;
  #checkAfterMs = CHECK_AFTER_MS;
  #running: Promise<void> | undefined;
  #held: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
    this.#pages = options.pages ?? PAGES;
    this.#idleMs = options.idleMs ?? IDLE_MS;
  }

  /** While this is a promise, do not write: wait until it resolves. */
  get held(): Promise<void> | undefined {
    return this.#held?.promise;
  }

  /** Call it after a transaction, with its connection. */
  written(database: DatabaseSync): void {
    if (this.#isClosed || this.#running !== undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!database.isOpen || framesIn(database) < this.#pages) return;
      this.#running = this.#run().finally(() => (this.#running = undefined));
    }, this.#checkAfterMs).unref();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#checkAfterMs = RETRY_AFTER_MS;
    clearTimeout(this.#idleTimer);
    try {
      await this.#ask('copy');
      this.#held = Promise.withResolvers();
      const isWhole = await this.#ask('restart');
      if (isWhole) this.#checkAfterMs = CHECK_AFTER_MS;
    } catch (thrown) {
      this.#options.log.warn('the database log cannot be checkpointed', { error: String(thrown) });
      this.#worker = undefined;
    } finally {
      this.#held?.resolve();
      this.#held = undefined;
      this.#idleTimer = setTimeout(() => (this.#ending = this.#endWorker()), this.#idleMs).unref();
    }
  }

  /** @throws what went wrong in the thread, which has then ended. */
  async #ask(request: CheckpointRequest): Promise<boolean> {
    const worker = (this.#worker ??= this.#startWorker());
    worker.ref();
    worker.postMessage(request, []);
    const [isWhole] = await once(worker, 'message');
    worker.unref();
    return isWhole === true;
  }

  #startWorker(): Worker {
    return new Worker(new URL('checkpoint-worker.ts', import.meta.url), {
      workerData: this.#options.path,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    clearTimeout(this.#idleTimer);
    await this.#ending;
    await this.#endWorker();
  }

  /** Never rejects. A checkpoint that begins meanwhile starts another thread. */
  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    worker.ref();
    worker.postMessage('close' satisfies CheckpointRequest, []);
    try {
      await once(worker, 'exit');
    } catch (thrown) {
      this.#options.log.warn('the thread of checkpoints failed at its end', { error: String(thrown) });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** `noop` reports the length of the log and does nothing: https://sqlite.org/pragma.html#pragma_wal_checkpoint */
function framesIn(database: DatabaseSync): number {
  return Number(database.prepare('pragma wal_checkpoint(noop)').get()?.['log'] ?? 0);
}

/** Without `Checkpoints`, SQLite checkpoints inside a commit. */
export function setAutocheckpoint(database: DatabaseSync, checkpoints: Checkpoints | undefined): void {
  database.exec(`pragma wal_autocheckpoint = ${checkpoints === undefined ? PAGES : PAGES * LATEST}`);
}
