/**
 * Tables and their upgrades. A file newer than this program is refused. An older one is upgraded in one
 * transaction.
 */
import type { DatabaseSync } from 'node:sqlite';
import { guardTable } from './integrity/index.ts';

type Upgrade = (database: DatabaseSync) => void;

/** One entry per version. Entry 0 creates version 1 in an empty file. */
const upgrades: readonly Upgrade[] = [
  (database) =>
    database.exec(`create table objects (
       collection text not null,
       namespace text not null,
       name text not null,
       revision integer not null,
       object text not null,
       primary key (collection, namespace, name)
     );
     create table changes (
       revision integer primary key,
       type text not null,
       collection text not null,
       namespace text not null,
       name text not null,
       object text not null
     );
     create table counter (id integer primary key check (id = 1), revision integer not null);
     insert into counter values (1, 0);`),
  // Adds checksums and tallies. The tally of `objects` counts revisions from now on.
  (database) => {
    const revision = Number(database.prepare('select revision from counter').get()?.['revision']);
    guardTable(database, 'objects', revision);
    guardTable(database, 'changes', revision);
    database.exec('drop table counter');
  },
];

/** Opens the schema of the store. Throws with a message for the operator when the file is too new. */
export function prepareSchema(database: DatabaseSync, path: string): void {
  const version = userVersion(database);
  if (version > upgrades.length) {
    throw new Error(
      `${path} was written by a newer tinkerbell (store version ${version}, this program knows ${upgrades.length}); run that version, or restore a backup`,
    );
  }
  if (version === upgrades.length) return;
  database.exec('begin immediate');
  try {
    for (const upgrade of upgrades.slice(version)) upgrade(database);
    database.exec(`pragma user_version = ${upgrades.length}`);
    database.exec('commit');
  } catch (thrown) {
    database.exec('rollback');
    throw thrown;
  }
}

function userVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0);
}
