/**
 * Verifies that a database contains what was acknowledged. It reads through a read-only connection, so that the files stay
 * unchanged, with everything that can be salvaged from them.
 */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@tinkerbell/platform-contract';
import { acknowledgedPath, readAcknowledged, type Acknowledged } from './acknowledged-file.ts';
import { DAMAGES_MAX, damagedStore, type Damage } from './damage.ts';
import { guardedTables, parts, type GuardedTable, type Part } from './guarded-tables.ts';
import { verifyRows } from './verify-rows.ts';
import { hasTallies, Tallies, type Tally } from './tallies.ts';
import { walBytes, walDamage } from './wal-frames.ts';

export interface VerifyOptions {
  /** The tables to verify. All of them when it is absent. */
  readonly parts?: readonly Part[];
  /**
   * `start`: the part that a start has time for, see `verifyRows`. `full`: every page and every row. A file
   * of at most SMALL_BYTES is verified in full in any case.
   */
  readonly depth: 'start' | 'full';
}

export interface Verification {
  readonly damages: readonly Damage[];
  /** The expected tallies of the verified tables. */
  readonly tallies: ReadonlyMap<GuardedTable, Readonly<Tally>>;
  /** True when every page and every row was read. */
  readonly isFull: boolean;
}

/** A file of this size is read in a few hundredths of a second. */
const SMALL_BYTES = 8 * 1024 * 1024;
const BUSY_TIMEOUT_MS = 1000;

/** Never throws for faults of the files, which are reported as damage. */
export function verifyDatabase(path: string, options: VerifyOptions): Verification {
  // Runs before the database is read, because a process that writes it meanwhile acknowledges more, never
  // less.
  const acknowledged = new Map(
    (options.parts ?? parts).map((part) => [part, readAcknowledged(path, part)] as const),
  );
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const log = walBytes(path);
  // Opening the database creates an absent log.
  const logState = existsSync(`${path}-wal`) ? undefined : 'it is absent';
  if (bytes === 0) return { damages: emptyFile(path, acknowledged, log), tallies: new Map(), isFull: true };
  const damages: Damage[] = [];
  const tallies = new Map<GuardedTable, Tally>();
  const isFull = options.depth === 'full' || bytes + log <= SMALL_BYTES;
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    // All further reads see one state of the database.
    database.exec('begin');
    damages.push(...verifyTallies({ database, path, acknowledged, tallies, logState }));
    if (isFull) damages.push(...pagesOf(database));
    for (const [table, tally] of tallies)
      if (damages.length < DAMAGES_MAX) damages.push(...verifyRows(database, { table, tally, isFull }));
  } catch (thrown) {
    const problem = messageOf(thrown);
    damages.push({ place: path, problem: `${problem}${missingPages(path)}` });
  }
  return { damages, tallies, isFull };
}

/** @throws PlatformError `damaged`, which names the place and the fix. */
export function assertIntact(path: string, only: readonly Part[] = parts): Verification {
  const verification = verifyDatabase(path, { depth: 'start', parts: only });
  if (verification.damages.length > 0) throw damagedStore(path, verification.damages);
  return verification;
}

type AcknowledgedOf = ReadonlyMap<Part, ReturnType<typeof readAcknowledged>>;

/** SQLite would treat an empty file as a new one, and delete the log. */
function emptyFile(path: string, acknowledged: AcknowledgedOf, log: number): readonly Damage[] {
  const wasWritten = [...acknowledged.values()].some((one) => one === 'damaged' || versionOf(one) > 0);
  if (!wasWritten && log === 0) return [];
  const known = acknowledged.get('store');
  const revision = typeof known === 'object' ? known.tallies.objects?.version : undefined;
  const what = revision === undefined ? 'records were acknowledged' : `revision ${revision} was acknowledged`;
  return [{ place: path, problem: `it is empty or absent, but ${what}` }];
}

function versionOf(acknowledged: Acknowledged | string): number {
  if (typeof acknowledged === 'string') return 0;
  return Math.max(0, ...Object.values(acknowledged.tallies).map(({ version }) => version));
}

interface TalliesRequest {
  readonly database: DatabaseSync;
  readonly path: string;
  readonly acknowledged: AcknowledgedOf;
  /** Receives the damage that is found. */
  readonly tallies: Map<GuardedTable, Tally>;
  /** The reason why the log cannot be read, when it is already known. Otherwise its frames are read. */
  readonly logState: string | undefined;
}

function verifyTallies(request: TalliesRequest): readonly Damage[] {
  const { database, path, acknowledged, tallies, logState } = request;
  const found = hasTallies(database) ? new Tallies(database) : undefined;
  const damages: Damage[] = [];
  if (found?.isSchemaIntact(database) === false)
    damages.push({
      place: 'table sqlite_schema',
      problem: 'the definitions of tables do not match their checksum',
    });
  for (const [part, known] of acknowledged) {
    const of = guardedTables[part].map((table) => [table, found?.find(table)] as const);
    for (const [table, tally] of of) {
      if (tally === 'damaged') damages.push({ place: `table tallies, ${table}`, problem: CHECKSUM });
      else if (tally !== undefined) tallies.set(table, tally);
    }
    const isWritten = of.some(([, tally]) => tally !== undefined);
    if (isWritten && typeof known === 'string') damages.push(withoutAcknowledged(path, part, known));
    if (typeof known === 'object')
      damages.push(
        ...againstAcknowledged({ path, known, found, tallies, logState, tables: guardedTables[part] }),
      );
  }
  return damages;
}

const CHECKSUM = 'the checksum does not match';

function withoutAcknowledged(path: string, part: Part, known: 'absent' | 'damaged'): Damage {
  return {
    place: acknowledgedPath(path),
    problem: `what the ${part} acknowledged is ${known}, so it is unknown whether the database is complete`,
  };
}

interface Comparison {
  readonly path: string;
  readonly known: Acknowledged;
  readonly found: Tallies | undefined;
  readonly tallies: ReadonlyMap<GuardedTable, Tally>;
  readonly tables: readonly GuardedTable[];
  readonly logState: string | undefined;
}

function againstAcknowledged(comparison: Comparison): readonly Damage[] {
  const { path, known, found, tables } = comparison;
  if (versionOf(known) > 0 && found !== undefined && found.lineage() !== known.lineage)
    return [{ place: path, problem: `it is a different database than the one of ${acknowledgedPath(path)}` }];
  for (const table of tables) {
    const problem = againstTally(comparison, table);
    if (problem !== undefined) return [{ place: `table ${table}`, problem }];
  }
  return [];
}

function againstTally(
  { path, known, tallies, logState }: Comparison,
  table: GuardedTable,
): string | undefined {
  const [must, has] = [known.tallies[table], tallies.get(table)];
  if (must === undefined || must.version === 0) return undefined;
  const version = has?.version ?? 0;
  if (version < must.version) {
    const log = logState ?? walDamage(path) ?? 'it can be read to its end';
    return `it ends at ${revisionOf(table, version)}, but ${must.version} was acknowledged; of ${path}-wal: ${log}`;
  }
  // A database that is ahead survived a power cut with more data. Its own tally counts.
  if (version > must.version || (has?.rows === must.rows && has.digest === must.digest)) return undefined;
  return `it lacks the records of ${revisionOf(table, version)} that were acknowledged`;
}

function revisionOf(table: GuardedTable, version: number): string {
  return table === 'objects' || table === 'changes' ? `revision ${version}` : `version ${version}`;
}

/** Finds pages that belong to no tree or to two trees, entries out of order, and indexes that miss rows. */
function pagesOf(database: DatabaseSync): readonly Damage[] {
  const rows = database.prepare(`pragma integrity_check(${DAMAGES_MAX})`).all();
  return rows
    .flatMap((row) => String(row['integrity_check']).split('\n'))
    .filter((verdict) => verdict !== 'ok' && !verdict.startsWith('***'))
    .map((verdict) => ({ place: 'pages', problem: verdict }));
}

/** Finds a truncated file. Source: https://sqlite.org/fileformat2.html#the_database_header */
function missingPages(path: string): string {
  const header = Buffer.alloc(32);
  const descriptor = openSync(path, 'r');
  readSync(descriptor, header);
  closeSync(descriptor);
  const [pages, pageBytes] = [header.readUInt32BE(28), header.readUInt16BE(16)];
  const { size } = statSync(path);
  if (pages * pageBytes <= size) return '';
  return `; its header counts ${pages} pages, and page ${Math.floor(size / pageBytes) + 1} is beyond the end at byte ${size}`;
}
