/**
 * Makes SQLite's write-ahead log durable from another thread (of libuv's pool). SQLite itself would sync inside `commit`, and everything
 * else in the process, packets included, would wait for the disk.
 */
import { close, existsSync, fdatasync, fsync, open, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

/** Resolves when everything that was written to the log before the call is on the disk. */
export type SyncLog = (descriptor: number) => Promise<void>;

const syncData: SyncLog = promisify(fdatasync);

/** For a database in WAL mode that has tallies. SQLite creates the log with the first write. */
export function openLog(
  database: DatabaseSync,
  { path, syncLog }: { readonly path: string; readonly syncLog?: SyncLog },
): LogSync {
  if (!existsSync(`${path}-wal`)) database.exec('begin immediate; update tallies set rows = rows; commit');
  return new LogSync(path, syncLog);
}

export class LogSync {
  readonly #folder: string;
  readonly #descriptor: number;
  readonly #syncLog: SyncLog;
  #isNameDurable = false;

  /** For a database that is open in WAL mode: the log exists, and stays the same file until the last connection closes. */
  constructor(databasePath: string, syncLog: SyncLog = syncData) {
    this.#folder = dirname(databasePath);
    this.#descriptor = openSync(`${databasePath}-wal`, 'r+');
    this.#syncLog = syncLog;
  }

  async run(): Promise<void> {
    await this.#syncLog(this.#descriptor);
    if (this.#isNameDurable) return;
    // The log is a new file. Until its directory entry is synced, a power cut would lose all of it.
    const folder = await promisify(open)(this.#folder, 'r');
    await promisify(fsync)(folder).finally(() => promisify(close)(folder));
    this.#isNameDurable = true;
  }

  close(): Promise<void> {
    return promisify(close)(this.#descriptor);
  }
}
