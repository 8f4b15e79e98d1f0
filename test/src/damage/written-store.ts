/** A data folder with a history, and a record of what was acknowledged in it. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { Change, Lease, ObjectKey, Store, StoredObject, Write } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { openSqliteLeaseBook, openSqliteStore } from '@tinkerbell/store-sqlite';
import { guardedTables, readAcknowledged, Tallies } from '@tinkerbell/store-sqlite/integrity';
import type { SeededChoice } from '../seeded-choice.ts';

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
export const DATABASE = 'tinkerbell.db';
/** The number of waits of 5 ms. */
const ASKED = 2000;
const COLLECTIONS = ['hardware.tinkerbell.org', 'workflows.tinkerbell.org'];

/** Everything that a reader of the stores can see. */
export interface StoreContents {
  readonly objects: readonly StoredObject[];
  readonly changes: readonly Change[];
  readonly leases: readonly Lease[];
  /** Texts of records by their number. */
  readonly records: ReadonlyMap<number, string>;
}

export interface WrittenStore {
  readonly folder: string;
  /** The same folder at an earlier time. */
  readonly olderFolder: string;
  readonly contents: StoreContents;
}

export interface WriteOptions {
  readonly folder: string;
  readonly choice: SeededChoice;
  readonly writes: number;
  /** The maximum length of a spec's padding. */
  readonly bytesMax: number;
}

/** The files of a server that was killed, or of one that was stopped. */
export async function writeStore({ folder, choice, writes, bytesMax }: WriteOptions): Promise<WrittenStore> {
  const [working, olderFolder] = [join(folder, 'working'), join(folder, 'older')];
  mkdirSync(working, { recursive: true });
  const path = join(working, DATABASE);
  let open = openAll(path);
  const olderAt = choice.below(writes);
  for (let count = 0; count < writes; count += 1) {
    await writeSomething(open.store, choice, bytesMax);
    if (choice.once(4)) await open.leases.write(leaseOf(choice));
    if (choice.once(2)) appendSomething(open.journal, choice, count);
    if (choice.once(20)) await open.settle();
    if (choice.once(60)) checkpoint(path, choice);
    if (choice.once(120)) {
      await open.close();
      open = openAll(path);
    }
    if (count === olderAt) copyFolder(working, olderFolder);
  }
  await open.settle();
  const contents = await contentsOf(open);
  const written = { folder: join(folder, 'written'), olderFolder, contents };
  const isKilled = !choice.once(4);
  if (isKilled) copyFolder(working, written.folder);
  await open.close();
  if (!isKilled) copyFolder(working, written.folder);
  return written;
}

/** The open store, journal and leases in the file. */
export interface OpenStores {
  readonly store: Store;
  readonly leases: ReturnType<typeof openSqliteLeaseBook>;
  readonly journal: ReturnType<typeof openSqliteJournal>;
  /** Resolves when the records of the journal are acknowledged. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Returns true if the loss of the last written record would be detected. */
function isJournalAcknowledged(path: string): boolean {
  const acknowledged = readAcknowledged(path, 'journal');
  using database = new DatabaseSync(path, { readOnly: true });
  const tallies = new Tallies(database);
  return guardedTables.journal.every(
    (name) =>
      typeof acknowledged === 'object' && acknowledged.tallies[name]?.version === tallies.load(name).version,
  );
}

/** Throws as a start does, after it has closed what was opened before. */
export function openAll(path: string): OpenStores {
  const { clock, runAll } = handClock();
  const opened: AsyncDisposable[] = [];
  const keep = <One extends AsyncDisposable>(one: One): One => {
    opened.push(one);
    return one;
  };
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
  };
  try {
    const store = keep(openSqliteStore({ path, log: silentLog }));
    const journal = keep(openSqliteJournal({ path, clock, log: silentLog }));
    const leases = keep(openSqliteLeaseBook({ path }));
    const settle = async (): Promise<void> => {
      // All queued records are written, then the log is synced, then that is acknowledged. On a busy disk
      // this takes a while.
      await journal.read({ after: 0, limit: 1 });
      for (let asked = 0; asked < ASKED; asked += 1) {
        await runAll();
        if (isJournalAcknowledged(path)) return;
      }
      throw new Error('the journal is not acknowledged');
    };
    return { store, journal, leases, settle, close };
  } catch (thrown) {
    void close();
    throw thrown;
  }
}

export async function contentsOf({ store, journal, leases }: OpenStores): Promise<StoreContents> {
  const objects: StoredObject[] = [];
  for (const collection of COLLECTIONS) objects.push(...(await store.list({ collection })).items);
  const changes: Change[] = [];
  await store.watch({ fromRevision: 0 }, { onChange: (change) => void changes.push(change), onEnd() {} });
  const records = new Map<number, string>();
  for (const events of [undefined, ['action-output'], ['write-answered']])
    for (const record of await journal.read({ after: 0, ...(events === undefined ? {} : { events }) }))
      records.set(record.sequence, JSON.stringify(record));
  const byAddress = (await leases.load()).toSorted((a, b) => (a.address < b.address ? -1 : 1));
  return { objects, changes, leases: byAddress, records };
}

export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  // The first program that opens the database creates the index of the log again, as after a restart of the
  // machine.
  for (const name of readdirSync(from).filter((one) => !one.endsWith('-shm')))
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}

async function writeSomething(store: Store, choice: SeededChoice, bytesMax: number): Promise<void> {
  const key = {
    collection: choice.of(COLLECTIONS),
    namespace: choice.of(['default', 'lab']),
    name: `m${choice.below(40)}`,
  };
  const padding = String.fromCharCode(97 + choice.below(26)).repeat(choice.below(bytesMax));
  const object: Resource = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: key.name, namespace: key.namespace },
    spec: { number: choice.below(1_000_000), padding },
  };
  const known = await store.get(key);
  const result = await store.commit([
    writeFor(key, object, { known, isDelete: known !== undefined && choice.once(5) }),
  ]);
  if (!result.ok) throw new Error(`a write was refused: ${JSON.stringify(result)}`);
}

function writeFor(
  key: ObjectKey,
  object: Resource,
  { known, isDelete }: { readonly known: StoredObject | undefined; readonly isDelete: boolean },
): Write {
  if (known === undefined) return { operation: 'create', key, object };
  const expectedRevision = known.revision;
  return isDelete
    ? { operation: 'delete', key, expectedRevision }
    : { operation: 'update', key, object, expectedRevision };
}

function leaseOf(choice: SeededChoice): Lease {
  return {
    address: `10.0.0.${choice.below(30)}`,
    mac: `02:00:5e:10:00:${(16 + choice.below(200)).toString(16)}`,
    state: choice.of(['leased', 'released', 'declined']),
    untilMs: 1_700_000_000_000 + choice.below(1_000_000),
  };
}

function appendSomething(journal: OpenStores['journal'], choice: SeededChoice, count: number): void {
  journal.append({
    source: 'agent',
    event: choice.of(['action-started', 'action-output', 'write-answered']),
    ...(choice.once(2) ? { machine: `52:54:00:00:00:0${choice.below(10)}` } : {}),
    ...(choice.once(2) ? { workflow: `default/w${choice.below(5)}` } : {}),
    message: `record ${count} ${'o'.repeat(choice.below(200))}`,
  });
}

/** A checkpoint, as SQLite makes it by itself after a number of pages. Afterwards the log starts again. */
function checkpoint(path: string, choice: SeededChoice): void {
  using database = new DatabaseSync(path, { timeout: 1000 });
  database.exec(`pragma wal_checkpoint(${choice.of(['passive', 'restart', 'truncate'])})`);
}

/** A clock whose tasks run when the caller calls for it. */
function handClock() {
  const tasks = new Set<() => void>();
  const clock: Clock = {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    schedule(_delay, task) {
      tasks.add(task);
      return () => void tasks.delete(task);
    },
  };
  const runAll = async (): Promise<void> => {
    for (const task of Array.from(tasks)) {
      tasks.delete(task);
      task();
    }
    // A sync of the log.
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { clock, runAll };
}
