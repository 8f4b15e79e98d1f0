import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsError } from '../settings/settings-error.ts';

export interface DataDirectory extends Disposable {
  /** The one SQLite file: objects and journal. */
  readonly databasePath: string;
}

/**
 * Makes the folder and holds it for this process: a second server on the same database would number its writes
 * anew. The hold is a lock of the operating system, so that it ends with the process however that ends.
 */
export function holdDataDirectory(path: string): DataDirectory {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw isDiskFull(cause)
      ? diskFull(path, cause)
      : new SettingsError(`cannot make the data folder ${path}; give another one with --data-dir`, { cause });
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
      `${path} is in use by another tinkerbell; stop it, or give another folder with --data-dir`,
      { cause },
    );
  return new SettingsError(
    `cannot write the data folder ${path}: ${(cause as Error).message}; make it writable, or give another one with --data-dir`,
    { cause },
  );
}

function isDiskFull(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || sqliteCodeOf(cause) === SQLITE_FULL;
}

function sqliteCodeOf(cause: unknown): number {
  return ((cause as { readonly errcode?: number }).errcode ?? 0) & 0xff;
}

function diskFull(path: string, cause: unknown): SettingsError {
  return new SettingsError(
    `the disk of the data folder ${path} is full; free space on it, or give another folder with --data-dir`,
    { cause },
  );
}
