/**
 * Records of the journal in three tables with one counter. The output of actions and the audit of writes have their own limits.
 */
import {
  ACTION_OUTPUT,
  CONSOLE_OUTPUT,
  EVENTS_READ_BY_NAME,
  recordFrom,
  WRITE_ANSWERED,
  type JournalQuery,
  type JournalRecord,
} from '@tinkerbell/store-contract';
import { BEGIN_DURABLY } from './begin-durably.ts';
import type { Database } from './database.ts';

/** The channel that announces records, with the number of the latest. */
export const JOURNAL_CHANNEL = 'tinkerbell_journal';

/** The events whose records are not in the timeline's table. */
const tablesByEvent = new Map([
  [ACTION_OUTPUT, 'journal_output'],
  [CONSOLE_OUTPUT, 'journal_output'],
  [WRITE_ANSWERED, 'journal_audit'],
]);

/**
 * Writes records in order, and resolves with the number of the last one. Records are small, and may be lost in a crash of the
 * machine.
 */
export function insertRecords(
  database: Database,
  records: readonly Omit<JournalRecord, 'sequence'>[],
): Promise<number> {
  return database.withConnection(async (client) => {
    await client.query('begin; set local synchronous_commit = off');
    // Locked to the end of the transaction, so that numbers become visible in order.
    const { rows } = await client.query<{ sequence: string }>(
      'update tinkerbell.journal_counter set sequence = sequence + $1 returning sequence',
      [records.length],
    );
    const last = Number(rows[0]?.sequence);
    const numbered = records.map((record, index): JournalRecord => ({
      ...record,
      sequence: last - records.length + index + 1,
    }));
    await client.query({
      name: 'insert-records',
      text: insertText(''),
      values: [...columnsOf(numbered), last],
    });
    await client.query('commit');
    return last;
  });
}

/** Writes records with their own numbers. Existing records are left unchanged. */
export function restoreRecords(database: Database, records: readonly JournalRecord[]): Promise<void> {
  return database.withConnection(async (client) => {
    await client.query(BEGIN_DURABLY);
    const last = Math.max(0, ...records.map(({ sequence }) => sequence));
    await client.query('update tinkerbell.journal_counter set sequence = greatest(sequence, $1)', [last]);
    await client.query(insertText('on conflict do nothing'), [...columnsOf(records), last]);
    await client.query('commit');
  });
}

function insertText(onConflict: string): string {
  return `with written as (
      select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
        as t (sequence, at_ms, machine, workflow, event, record)),
    timeline as (
      insert into tinkerbell.journal
        select * from written where event not in (${quoted(EVENTS_READ_BY_NAME)}) ${onConflict}),
    output as (
      insert into tinkerbell.journal_output select * from written
        where event in (${quoted([ACTION_OUTPUT, CONSOLE_OUTPUT])}) ${onConflict}),
    audit as (
      insert into tinkerbell.journal_audit select * from written where event = '${WRITE_ANSWERED}' ${onConflict})
    select pg_notify('${JOURNAL_CHANNEL}', $7::text)`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function columnsOf(records: readonly JournalRecord[]): readonly unknown[][] {
  return [
    records.map(({ sequence }) => sequence),
    records.map(({ atMs }) => atMs),
    records.map(({ machine }) => machine ?? null),
    records.map(({ workflow }) => workflow ?? null),
    records.map(({ event }) => event),
    records.map((record) => JSON.stringify(record)),
  ];
}

/** Returns records of all tables, oldest first. */
export async function recordsAfter(
  database: Database,
  after: number,
  limit: number,
): Promise<readonly JournalRecord[]> {
  const of = (table: string) =>
    `(select sequence, record from tinkerbell.${table} where sequence > $1 order by sequence limit $2)`;
  const all = ['journal', ...new Set(tablesByEvent.values())].map(of);
  return recordsOf(await database.read(`${inOrder(all)} limit $2`, [after, limit]));
}

export async function readRecords(
  database: Database,
  query: JournalQuery,
  { until, count }: { readonly until: number; readonly count: number },
): Promise<readonly JournalRecord[]> {
  const tables = tablesFor(query);
  if (tables.length === 0) return [];
  const { after, machines, workflows, events } = query;
  // Where one of the two is given, the other names nothing.
  const [subjects, none] = [hasSubjects(query), [] as readonly string[]];
  return recordsOf(
    await database.read(`${inOrder(tables)} limit $3`, [
      after,
      until,
      count,
      subjects ? (machines ?? none) : null,
      subjects ? (workflows ?? none) : null,
      events ?? null,
    ]),
  );
}

function tablesFor(query: JournalQuery): readonly string[] {
  const { events } = query;
  const subject = hasSubjects(query)
    ? '(machine = any($4::text[]) or workflow = any($5::text[]))'
    : '$4::text[] is null and $5::text[] is null';
  const of = (table: string) =>
    `(select sequence, record from tinkerbell.${table}
      where sequence > $1 and sequence <= $2 and ${subject} and ($6::text[] is null or event = any($6))
      order by sequence limit $3)`;
  const wantsTimeline = events === undefined || events.some((event) => !tablesByEvent.has(event));
  const byEvent = new Set(events?.map((event) => tablesByEvent.get(event) ?? 'journal'));
  byEvent.delete('journal');
  return [...(wantsTimeline ? ['journal'] : []), ...byEvent].map(of);
}

function hasSubjects({ machines, workflows }: JournalQuery): boolean {
  return machines !== undefined || workflows !== undefined;
}

/** Drops records older than `oldestMs`, and the oldest when there are more than `kept`. */
export async function trimRecords(
  database: Database,
  table: 'journal' | 'journal_output' | 'journal_audit',
  { kept, oldestMs }: { readonly kept: number; readonly oldestMs: number },
): Promise<void> {
  const name = `tinkerbell.${table}`;
  await database.read(`delete from ${name} where at_ms < $1`, [oldestMs]);
  await database.read(
    `delete from ${name} where sequence <= (select sequence from ${name} order by sequence desc offset $1 limit 1)`,
    [kept],
  );
}

function inOrder(tables: readonly string[]): string {
  return `select record from (${tables.join(' union all ')}) as found order by sequence`;
}

function recordsOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly JournalRecord[] {
  return rows.map((row) => recordFrom(String(row['record'])));
}
