/**
 * Commits that share a transaction. The outcome of each is decided here, while the single counter is locked. Each succeeds or
 * fails by itself.
 */
import {
  changeOf,
  objectFrom,
  refusalOf,
  type Change,
  type ObjectKey,
  type Refusal,
  type StoredObject,
  type Write,
} from '@tinkerbell/store-contract';
import { isRecord, type Resource } from '@tinkerbell/resources';
import type pg from 'pg';
import { BEGIN_DURABLY } from './begin-durably.ts';

export type Outcome = { readonly changes: readonly Change[] } | { readonly refusal: Refusal };

export interface GroupPlan {
  /** The revision before the first change. */
  readonly before: number;
  /** The id by which PostgreSQL reports later whether the transaction was committed. */
  readonly transaction: string;
  readonly outcomes: readonly Outcome[];
  readonly changes: readonly Change[];
}

/** The channel that announces changes, with the latest revision. */
export const CHANGES_CHANNEL = 'tinkerbell_changes';

/** Old changes are removed in batches of this size, so that most groups do not need to. */
const TRIM_EVERY = 256;

/** Begins a transaction and writes the group. The caller commits it. */
export async function writeGroup(
  client: pg.ClientBase,
  group: readonly (readonly Write[])[],
  changesKept: number,
): Promise<GroupPlan> {
  const { revision: before, compacted, transaction } = await lockCounter(client);
  const current = await readCurrent(client, group.flat());
  let revision = before;
  const outcomes = group.map((writes): Outcome => {
    for (const write of writes) {
      const refusal = refusalOf(write, current.get(pathOf(write.key)));
      if (refusal !== undefined) return { refusal };
    }
    return { changes: writes.map((write) => apply(write, (revision += 1), current)) };
  });
  const changes = outcomes.flatMap((outcome) => ('changes' in outcome ? outcome.changes : []));
  const isTrimmed = revision - compacted >= changesKept + Math.min(TRIM_EVERY, changesKept);
  const trimmed = isTrimmed ? { after: compacted, until: revision - changesKept } : undefined;
  if (changes.length > 0) await insert(client, changes, trimmed);
  return { before, transaction, outcomes, changes };
}

/** From here to the end of the transaction no other server writes. Later reads see the state that all earlier writers left. */
async function lockCounter(client: pg.ClientBase) {
  // The result is a list, with one item for each statement; the types of pg do not say so.
  const results: unknown = await client.query(`${BEGIN_DURABLY};
    select revision, compacted, pg_current_xact_id()::text as transaction
    from tinkerbell.counter for update`);
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  const rows: unknown = isRecord(last) ? last['rows'] : undefined;
  const found: unknown = Array.isArray(rows) ? rows[0] : undefined;
  const row = isRecord(found) ? found : {};
  return {
    revision: Number(row['revision']),
    compacted: Number(row['compacted']),
    transaction: String(row['transaction']),
  };
}

/** For deleted objects, the contents are read too, because the change contains them. */
async function readCurrent(
  client: pg.ClientBase,
  writes: readonly Write[],
): Promise<Map<string, StoredObject>> {
  const { rows } = await client.query<Record<string, string | null>>({
    name: 'current',
    text: `select o.collection, o.namespace, o.name, o.revision, case when bool_or(k.wanted) then o.object end as object
      from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as k (collection, namespace, name, wanted)
      join tinkerbell.objects o using (collection, namespace, name)
      group by o.collection, o.namespace, o.name`,
    values: [
      writes.map(({ key }) => key.collection),
      writes.map(({ key }) => key.namespace),
      writes.map(({ key }) => key.name),
      writes.map(({ operation }) => operation === 'delete'),
    ],
  });
  return new Map(
    rows.map((row) => {
      const key = {
        collection: String(row['collection']),
        namespace: String(row['namespace']),
        name: String(row['name']),
      };
      const text = row['object'] ?? undefined;
      return [pathOf(key), new CurrentObject(key, Number(row['revision']), text)];
    }),
  );
}

/** The contents are parsed only where they are needed. */
class CurrentObject implements StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  readonly #text: string | undefined;

  constructor(key: ObjectKey, revision: number, text: string | undefined) {
    this.key = key;
    this.revision = revision;
    this.#text = text;
  }

  get object(): Resource {
    if (this.#text === undefined) throw new Error(`not read: ${pathOf(this.key)}`);
    return objectFrom(this.#text);
  }
}

function apply(write: Write, revision: number, current: Map<string, StoredObject>): Change {
  const path = pathOf(write.key);
  const change = changeOf(write, write.operation === 'delete' ? current.get(path) : undefined, revision);
  if (change.type === 'deleted') current.delete(path);
  else current.set(path, { key: change.key, revision, object: change.object });
  return change;
}

/** The revisions of the changes that are no longer kept. Those up to `after` were removed before. */
interface Trimmed {
  readonly after: number;
  readonly until: number;
}

/**
 * Most groups have nothing to remove and do not try: PostgreSQL may pass over the whole table to find that out, with everything that was
 * removed before and is not cleaned up yet.
 */
const TRIM = `counted as (update tinkerbell.counter set revision = $7, compacted = $8),
      trimmed as (delete from tinkerbell.changes where revision > $9 and revision <= $8)`;
const COUNT = 'counted as (update tinkerbell.counter set revision = $7)';

/** One statement writes everything. Of several changes to one object, the last one is its state. */
async function insert(
  client: pg.ClientBase,
  changes: readonly Change[],
  trimmed: Trimmed | undefined,
): Promise<void> {
  await client.query({
    name: trimmed === undefined ? 'insert-changes' : 'insert-and-trim-changes',
    text: `with written as (
        select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
          as t (revision, type, collection, namespace, name, object)),
      logged as (insert into tinkerbell.changes select * from written),
      last as (
        select distinct on (collection, namespace, name) * from written
        order by collection, namespace, name, revision desc),
      removed as (
        delete from tinkerbell.objects o using last l where l.type = 'deleted'
          and o.collection = l.collection and o.namespace = l.namespace and o.name = l.name),
      put as (
        insert into tinkerbell.objects
        select collection, namespace, name, revision, object from last where type <> 'deleted'
        on conflict (collection, namespace, name) do update set revision = excluded.revision, object = excluded.object),
      ${trimmed === undefined ? COUNT : TRIM}
      select pg_notify('${CHANGES_CHANNEL}', $7::text)`,
    values: [
      changes.map(({ revision }) => revision),
      changes.map(({ type }) => type),
      changes.map(({ key }) => key.collection),
      changes.map(({ key }) => key.namespace),
      changes.map(({ key }) => key.name),
      changes.map(({ object }) => JSON.stringify(object)),
      changes.at(-1)?.revision,
      ...(trimmed === undefined ? [] : [trimmed.until, trimmed.after]),
    ],
  });
}

function pathOf({ collection, namespace, name }: ObjectKey): string {
  return `${collection}\n${namespace}\n${name}`;
}
