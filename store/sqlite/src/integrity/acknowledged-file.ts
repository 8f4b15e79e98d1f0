/**
 * Records what was acknowledged, in a small file beside the database. Damage that removes records from the
 * database, or removes its log, leaves this file. Each part of the program has two blocks in it and writes
 * them in turn, so that an interrupted write leaves the previous one. A block is a line of JSON, spaces, and
 * the CRC-32 of both.
 *
 * It is written after the recorded data has been synced, and before anybody gets an answer. It is itself
 * synced a moment later: after a power cut it may be behind the database, and it is never ahead of it.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { isRecord } from '@tinkerbell/resources';
import { guardedTables, parts, type GuardedTable, type Part } from './guarded-tables.ts';
import { Tallies, type Tally } from './tallies.ts';

/** The acknowledged tallies of a part's tables. */
export interface Acknowledged {
  readonly lineage: number;
  readonly tallies: Readonly<Partial<Record<GuardedTable, Readonly<Tally>>>>;
}

/** Each block has its own page, so that two of them are never written at once. */
const BLOCK_BYTES = 4096;
const LINE_BYTES = 512;
const CHECKSUM_DIGITS = 8;
const TEXT_BYTES = LINE_BYTES - CHECKSUM_DIGITS - 1;
/** The maximum age of the content after a power cut. Each sync costs the disk as much as a commit. */
const SYNC_AFTER_MS = 50;

const syncData = promisify(fdatasync);

export function acknowledgedPath(databasePath: string): string {
  return `${databasePath}-acknowledged`;
}

/** `absent`: the part has never written here. `damaged`: it has, and neither block can be read. */
export function readAcknowledged(databasePath: string, part: Part): Acknowledged | 'absent' | 'damaged' {
  const path = acknowledgedPath(databasePath);
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const blocks = [0, 1].map((turn) => bytes.subarray(offsetOf(part, turn)).subarray(0, LINE_BYTES));
  const [newest] = blocks
    .map((block) => numberedFrom(block))
    .filter((block) => block !== undefined)
    .toSorted((a, b) => b.number - a.number);
  if (newest !== undefined) return newest.acknowledged;
  return blocks.every((block) => block.every((byte) => byte === 0)) ? 'absent' : 'damaged';
}

interface OpenOptions {
  /** The file of the database. `:memory:` has none. */
  readonly path: string;
  readonly part: Part;
  /** Creates the part's tables, or upgrades them, durably. */
  readonly prepare: () => void;
}

/**
 * Creates the part's tables and its blocks. The order makes a power cut in between harmless: a part with
 * tables always has blocks. `database` syncs its commits meanwhile.
 */
export function openAcknowledged(
  database: DatabaseSync,
  { path, part, prepare }: OpenOptions,
): AcknowledgedFile | undefined {
  if (path === ':memory:') {
    prepare();
    return undefined;
  }
  const before = readAcknowledged(path, part);
  if (before === 'absent') new AcknowledgedFile(path, part, NO_LINEAGE).writeOnce({});
  prepare();
  const tallies = new Tallies(database);
  const file = new AcknowledgedFile(path, part, tallies.lineage());
  // For an existing database, only what is written from now on is known to be on the disk.
  if (typeof before === 'string' || before.lineage === NO_LINEAGE)
    file.writeDurably(Object.fromEntries(guardedTables[part].map((name) => [name, tallies.load(name)])));
  return file;
}

const NO_LINEAGE = 0;

export class AcknowledgedFile {
  readonly #descriptor: number;
  readonly #part: Part;
  readonly #lineage: number;
  #number: number;
  #syncing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Creates the file, durably, when it does not exist. */
  constructor(databasePath: string, part: Part, lineage: number) {
    const path = acknowledgedPath(databasePath);
    if (!existsSync(path)) makeFile(path);
    this.#number = lastNumber(readFileSync(path), part);
    this.#descriptor = openSync(path, 'r+');
    this.#part = part;
    this.#lineage = lineage;
  }

  /** Pass only durable data. Throws when the disk does not accept the write. */
  write(tallies: Acknowledged['tallies']): void {
    const number = this.#number + 1;
    const text = JSON.stringify({ number, lineage: this.#lineage, tallies }).padEnd(TEXT_BYTES);
    const line = Buffer.from(`${text}${checksumOf(text)}\n`);
    writeSync(this.#descriptor, line, 0, line.length, offsetOf(this.#part, number % 2));
    this.#number = number;
    this.#timer ??= setTimeout(() => this.#sync(), SYNC_AFTER_MS).unref();
  }

  /** Like `write`, and syncs to the disk. Blocks until that is done. */
  writeDurably(tallies: Acknowledged['tallies']): void {
    this.write(tallies);
    fdatasyncSync(this.#descriptor);
  }

  writeOnce(tallies: Acknowledged['tallies']): void {
    this.writeDurably(tallies);
    clearTimeout(this.#timer);
    closeSync(this.#descriptor);
  }

  /** A failed sync is retried with the next write, because the database has the data. */
  #sync(): void {
    this.#syncing = syncData(this.#descriptor)
      .catch(() => undefined)
      .finally(() => {
        this.#timer = undefined;
        this.#syncing = undefined;
      });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#syncing;
    await syncData(this.#descriptor).catch(() => undefined);
    closeSync(this.#descriptor);
  }
}

function offsetOf(part: Part, turn: number): number {
  return (parts.indexOf(part) * 2 + turn) * BLOCK_BYTES;
}

function makeFile(path: string): void {
  for (const [name, bytes] of [
    [path, Buffer.alloc(parts.length * 2 * BLOCK_BYTES)],
    [dirname(path), undefined],
  ] as const) {
    const descriptor = openSync(name, bytes === undefined ? 'r' : 'w', 0o600);
    if (bytes !== undefined) writeSync(descriptor, bytes);
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

function lastNumber(bytes: Buffer, part: Part): number {
  const numbers = [0, 1].map(
    (turn) => numberedFrom(bytes.subarray(offsetOf(part, turn)).subarray(0, LINE_BYTES))?.number ?? 0,
  );
  return Math.max(...numbers);
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_DIGITS, '0');
}

function numberedFrom(
  line: Buffer,
): { readonly number: number; readonly acknowledged: Acknowledged } | undefined {
  const text = line.toString('latin1');
  const body = text.slice(0, TEXT_BYTES);
  if (text.length !== LINE_BYTES || text.slice(TEXT_BYTES, -1) !== checksumOf(body)) return undefined;
  const block: unknown = JSON.parse(body);
  if (!isBlock(block)) return undefined;
  const { number, lineage, tallies } = block;
  return { number, acknowledged: { lineage, tallies } };
}

function isBlock(value: unknown): value is Acknowledged & { readonly number: number } {
  return (
    isRecord(value) &&
    typeof value['number'] === 'number' &&
    typeof value['lineage'] === 'number' &&
    isRecord(value['tallies'])
  );
}
