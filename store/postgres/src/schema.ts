/**
 * Tables and their upgrades. A database newer than this program is refused. An older one is upgraded in one
 * transaction.
 */
import { PlatformError } from '@tinkerbell/platform-contract';
import { BEGIN_DURABLY } from './begin-durably.ts';
import type pg from 'pg';

/** An arbitrary number that no other program in the database uses: `tink` in ASCII. */
const UPGRADE_LOCK = 0x74696e6b;

/**
 * One entry per version. Entry 0 creates version 1 in an empty database. Names are compared in byte order, as the contract
 * requires.
 */
const upgrades: readonly string[] = [
  `create table tinkerbell.objects (
     collection text collate "C" not null,
     namespace text collate "C" not null,
     name text collate "C" not null,
     revision bigint not null,
     object text not null,
     primary key (collection, namespace, name)
   );
   create table tinkerbell.changes (
     revision bigint primary key,
     type text not null,
     collection text not null,
     namespace text not null,
     name text not null,
     object text not null
   );
   create table tinkerbell.counter (
     id integer primary key check (id = 1), revision bigint not null, compacted bigint not null);
   insert into tinkerbell.counter values (1, 0, 0);
   create table tinkerbell.journal (
     sequence bigint primary key, at_ms bigint not null, machine text, workflow text, event text not null, record text not null);
   create index journal_machine on tinkerbell.journal (machine, sequence) where machine is not null;
   create index journal_workflow on tinkerbell.journal (workflow, sequence) where workflow is not null;
   create index journal_at on tinkerbell.journal (at_ms);
   create table tinkerbell.journal_output (like tinkerbell.journal including all);
   create table tinkerbell.journal_counter (id integer primary key check (id = 1), sequence bigint not null);
   insert into tinkerbell.journal_counter values (1, 0);
   create table tinkerbell.leases (
     address text primary key, mac text not null, state text not null, until_ms bigint not null);
   create index leases_until on tinkerbell.leases (until_ms);`,
  `create table tinkerbell.journal_audit (like tinkerbell.journal including all);`,
];

interface Connections {
  withConnection(use: (client: pg.ClientBase) => Promise<void>): Promise<void>;
}

/** Rejects with a message for the operator when the schema is too new, or when the user may not create it. */
export async function prepareSchema(database: Connections, place: string): Promise<void> {
  await database.withConnection(async (client) => {
    await client.query(BEGIN_DURABLY);
    await client.query('select pg_advisory_xact_lock($1)', [UPGRADE_LOCK]);
    await client.query(`create schema if not exists tinkerbell;
      create table if not exists tinkerbell.schema_version (id integer primary key check (id = 1), version integer not null)`);
    const { rows } = await client.query<{ version: number }>('select version from tinkerbell.schema_version');
    const version = rows[0]?.version ?? 0;
    if (version > upgrades.length)
      throw new PlatformError(
        'unavailable',
        `the database ${place} was written by a newer tinkerbell (store version ${version}, this program knows ${upgrades.length}); run that version, or restore a backup`,
      );
    for (const upgrade of upgrades.slice(version)) await client.query(upgrade);
    await client.query(
      `insert into tinkerbell.schema_version values (1, $1) on conflict (id) do update set version = excluded.version`,
      [upgrades.length],
    );
    await client.query('commit');
  });
}
