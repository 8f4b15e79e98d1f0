/** Objects and their changes as rows, each with its checksum, and the tallies of both. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { PlatformError } from '@tinkerbell/platform-contract';
import {
  changeFrom,
  formatKey,
  keyFrom,
  objectFrom,
  type Change,
  type ListQuery,
  type ObjectKey,
  type StoredObject,
  type WatchQuery,
} from '@tinkerbell/store-contract';
import {
  addTo,
  headChecksum,
  isIntactRow,
  rowChecksum,
  takeFrom,
  Tallies,
  textChecksum,
  type Acknowledged,
  type ColumnValue,
  type Tally,
} from './integrity/index.ts';
import { prepareStatements, type Statements } from './statements.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** All columns but the checksum. */
const CHANGE_COLUMNS = ['revision', 'type', 'collection', 'namespace', 'name', 'object'] as const;

/** For a database that no other process writes. Writes belong in a transaction that ends with `save`. */
export class ObjectTables {
  readonly #statements: Statements;
  readonly #tallies: Tallies;
  #objects: Tally;
  #changes: Tally;
  /** The checksums of the latest changes, in order of their revisions, so that `trim` does not read them. */
  #recent: { readonly revision: number; readonly checksum: number }[] = [];

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database);
    this.#tallies = new Tallies(database);
    this.#objects = this.#tallies.load('objects');
    this.#changes = this.#tallies.load('changes');
  }

  /** Call it after a rollback. */
  reload(): void {
    this.#objects = this.#tallies.load('objects');
    this.#changes = this.#tallies.load('changes');
    this.#recent = [];
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#objects.version;
  }

  /** Returns a copy, which later writes do not change. */
  tallies(): Acknowledged['tallies'] {
    return { objects: { ...this.#objects }, changes: { ...this.#changes } };
  }

  get(key: ObjectKey): StoredObject | undefined {
    const row = this.#statements.get.get(key.collection, key.namespace, key.name);
    return Array.isArray(row) ? intactObject(row) : undefined;
  }

  /** Returns keys in order, at most `count`. */
  keys(query: ListQuery, count: number): readonly ObjectKey[] {
    return this.#statements.keys.all(parametersOf(query, count)).map((row) => keyFrom(row));
  }

  /** Returns objects in order, at most `count`. Takes half the time of reading them one by one. */
  list(query: ListQuery, count: number): readonly StoredObject[] {
    const objects: StoredObject[] = [];
    for (const row of this.#statements.list.iterate(parametersOf(query, count)))
      if (Array.isArray(row)) objects.push(intactObject(row));
    return objects;
  }

  /** `known` is the checksum of the object's row, if that is known. */
  write(change: Change, known?: number): WrittenRow {
    const { collection, namespace, name } = change.key;
    const { put, remove } = this.#statements;
    const before = known ?? this.#checksumOf(change.key);
    if (before !== undefined) takeFrom(this.#objects, before);
    const text = JSON.stringify(change.object);
    const ofText = textChecksum(text);
    this.#record(change, text, ofText);
    if (change.type === 'deleted') {
      remove.run(collection, namespace, name);
      return { text, checksum: undefined };
    }
    const head = [collection, namespace, name, change.revision] as const;
    const checksum = headChecksum(head, head.length, ofText);
    put.run(...head, text, checksum);
    addTo(this.#objects, checksum);
    return { text, checksum };
  }

  #checksumOf({ collection, namespace, name }: ObjectKey): number | undefined {
    const row = this.#statements.checksum.get(collection, namespace, name);
    return row === undefined ? undefined : Number(row['checksum']);
  }

  #record({ revision, type, key }: Change, text: string, ofText: number): void {
    const head = [revision, type, key.collection, key.namespace, key.name] as const;
    const checksum = headChecksum(head, head.length, ofText);
    this.#statements.change.run(...head, text, checksum);
    addTo(this.#changes, checksum);
    this.#recent.push({ revision, checksum });
  }

  /** Drops changes up to `revision`. */
  trim(revision: number): void {
    const known = (this.#recent[0]?.revision ?? Infinity) - 1;
    const oldest = this.oldestChange() ?? Infinity;
    if (oldest <= known) {
      const sum = this.#statements.old.get(Math.min(revision, known));
      takeFrom(this.#changes, Number(sum?.['digest']), Number(sum?.['rows']));
    }
    this.#statements.trim.run(revision);
    const kept = this.#recent.findIndex((one) => one.revision > revision);
    const gone = this.#recent.splice(0, kept === -1 ? this.#recent.length : kept);
    for (const { checksum } of gone) takeFrom(this.#changes, checksum);
  }

  /** Ends a group of writes. */
  save(revision: number): void {
    this.#objects.version = revision;
    this.#changes.version = revision;
    this.#tallies.save('objects', this.#objects);
    this.#tallies.save('changes', this.#changes);
  }

  /** Returns the first revision whose change is kept, or undefined when there is none. */
  oldestChange(): number | undefined {
    const oldest = this.#statements.oldest.get()?.['oldest'];
    return typeof oldest === 'number' ? oldest : undefined;
  }

  /** Returns the changes that a watch from an old revision has missed. When there are many, it returns the first of them. */
  changes(
    query: Omit<WatchQuery, 'fromRevision'>,
    range: { readonly after: number; readonly until: number },
  ): MissedChanges {
    const { collection, namespace } = query;
    const filter = { collection: collection ?? null, namespace: namespace ?? null };
    const changes: Change[] = [];
    let characters = 0;
    for (const row of this.#statements.since.iterate({ ...range, ...filter })) {
      assertIntactChange(row);
      changes.push(changeFrom(row));
      characters += String(row['object']).length;
      if (characters > CHARACTERS_MAX) return { changes, isWhole: false };
    }
    return { changes, isWhole: true };
  }
}

export interface WrittenRow {
  /** The object as JSON. */
  readonly text: string;
  /** Undefined for a deleted row. */
  readonly checksum: number | undefined;
}

export interface MissedChanges {
  readonly changes: readonly Change[];
  /** No more changes are missed. */
  readonly isWhole: boolean;
}

/** Verifying and parsing them, and sending them to a watch, takes about half a millisecond of the event loop. */
const CHARACTERS_MAX = 32 * 1024;

function parametersOf({ collection, namespace, after }: ListQuery, count: number) {
  return {
    collection,
    namespace: namespace ?? null,
    afterNamespace: after?.namespace ?? '',
    afterName: after?.name ?? '',
    count,
  };
}

/** A row that the disk has changed since the start is not returned as an object. */
function intactObject(row: readonly ColumnValue[]): StoredObject {
  const [collection, namespace, name, revision, object] = row;
  const key = { collection: String(collection), namespace: String(namespace), name: String(name) };
  if (!isIntactRow(row)) throw damaged(`object ${formatKey(key)}`);
  return { key, revision: Number(revision), object: objectFrom(String(object)) };
}

function assertIntactChange(row: Row): void {
  if (row['checksum'] === rowChecksum(CHANGE_COLUMNS.map((column) => row[column]))) return;
  throw damaged(`the change of revision ${String(row['revision'])}`);
}

function damaged(name: string): PlatformError {
  return new PlatformError(
    'damaged',
    `the store has ${name}, and its checksum does not match; run tinkerbell check, and restore a backup`,
  );
}
