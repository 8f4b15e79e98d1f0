import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { codeOf, messageOf } from '@tinkerbell/platform-contract';
import { SettingsError } from '../settings/settings-error.ts';

export interface DataDirectory extends Disposable {
  /** The SQLite file with objects and journal. */
  readonly databasePath: string;
}

/**
 * Creates the folder and locks it for this process, because a second server on the same database would number its writes
 * from the start. The operating system holds the lock, so it ends with the process.
 */
export function holdDataDirectory(path: string): DataDirectory {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw isDiskFull(cause)
      ? diskFull(path, cause)
      : new SettingsError(`cannot create the data folder ${path}; set another one with --data-dir`, {
          cause,
        });
  }
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(path, 'lock'));
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (cause) {
    lock?.close();
    throw notHeld(path, cause);
  }
  const held = lock;
  return { databasePath: join(path, 'tinkerbell.db'), [Symbol.dispose]: () => held.close() };
}

/** Result codes of SQLite; the low byte is the class. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

function notHeld(path: string, cause: unknown): SettingsError {
  if (isDiskFull(cause)) return diskFull(path, cause);
  if (sqliteCodeOf(cause) === SQLITE_BUSY)
    return new SettingsError(
      `${path} is in use by another tinkerbell; stop it, or set another folder with --data-dir`,
      { cause },
    );
  return new SettingsError(
    `cannot write the data folder ${path}: ${messageOf(cause)}; make it writable, or set another one with --data-dir`,
    { cause },
  );
}

function isDiskFull(cause: unknown): boolean {
  const code = codeOf(cause);
  return code === 'ENOSPC' || code === 'EDQUOT' || sqliteCodeOf(cause) === SQLITE_FULL;
}

function sqliteCodeOf(cause: unknown): number {
  const isOfSqlite = cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number';
  return isOfSqlite ? Number(cause.errcode) & 0xff : 0;
}

function diskFull(path: string, cause: unknown): SettingsError {
  return new SettingsError(
    `the disk of the data folder ${path} is full; free some space, or set another folder with --data-dir`,
    { cause },
  );
}
