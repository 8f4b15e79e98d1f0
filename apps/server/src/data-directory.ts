import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsError } from './flag-reader.ts';

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
    throw new SettingsError(`cannot make the data folder ${path}; give another one with --data-dir`, {
      cause,
    });
  }
  const lock = new DatabaseSync(join(path, 'lock'));
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (cause) {
    lock.close();
    throw new SettingsError(
      `${path} is in use by another tinkerbell; stop it, or give another folder with --data-dir`,
      { cause },
    );
  }
  return { databasePath: join(path, 'tinkerbell.db'), [Symbol.dispose]: () => lock.close() };
}
