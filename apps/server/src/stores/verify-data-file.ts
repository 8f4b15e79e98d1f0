/** Verifies the database before it is opened. If acknowledged writes are missing, the server does not start. */
import { Worker } from 'node:worker_threads';
import type { Log } from '@tinkerbell/platform-contract';
import type { JournalEntry } from '@tinkerbell/store-contract';
import { prepareJournal } from '@tinkerbell/store-journal';
import { prepareLeases, prepareSchema } from '@tinkerbell/store-sqlite';
import { acceptLoss, assertIntact, type Damage, type Loss } from '@tinkerbell/store-sqlite/integrity';

interface DataFile {
  readonly databasePath: string;
  readonly acceptLoss: boolean;
  readonly log: Log;
}

/**
 * Returns the journal entry about the loss with `--accept-loss`; undefined if nothing was lost. A large file is read
 * completely in a thread, some seconds later.
 *
 * @throws PlatformError `damaged`, with the place and the fix.
 */
export function verifyDataFile(file: DataFile, cleanup: AsyncDisposableStack): JournalEntry | undefined {
  const { databasePath: path, log } = file;
  const loss = file.acceptLoss ? lossOf(path) : undefined;
  if (file.acceptLoss && loss === undefined) log.info('--accept-loss has no effect: nothing is damaged');
  if (loss !== undefined)
    log.warn('the database was damaged; continuing with the intact part', detailsOf(loss));
  const { isFull } = assertIntact(path);
  if (!isFull) verifyRest(file, cleanup);
  if (loss === undefined) return undefined;
  return {
    source: 'server',
    event: 'loss-accepted',
    message: `the database was damaged; continuing with the intact part; see ${loss.folder}/lost.json`,
    details: detailsOf(loss),
  };
}

function lossOf(path: string): Loss | undefined {
  const preparations = {
    store: (database: Parameters<typeof prepareSchema>[0]) => prepareSchema(database, path),
    journal: prepareJournal,
    leases: prepareLeases,
  };
  return acceptLoss({ path, preparations, now: new Date() });
}

function detailsOf({ folder, tables }: Loss): Record<string, string> {
  const counts = tables.map(
    ({ table, acknowledged, kept }) =>
      [table, `${kept} kept of ${acknowledged ?? 'an unknown number'}`] as const,
  );
  return { folder, ...Object.fromEntries(counts) };
}

/** A start takes less, and needs the processors for itself. */
const VERIFY_REST_AFTER_MS = 10_000;

/** Reading a long history takes longer than a start may take. */
function verifyRest(file: DataFile, cleanup: AsyncDisposableStack): void {
  let worker: Worker | undefined;
  const timer = setTimeout(() => (worker = startVerification(file)), VERIFY_REST_AFTER_MS).unref();
  cleanup.defer(async () => {
    clearTimeout(timer);
    await worker?.terminate();
  });
}

function startVerification({ databasePath, log }: DataFile): Worker {
  const worker = new Worker(new URL('verify-worker.ts', import.meta.url), { workerData: databasePath });
  worker.unref();
  worker.on('error', (thrown) => log.error('cannot verify the database', { error: String(thrown) }));
  worker.on('message', (damages: readonly Damage[]) => {
    for (const { place, problem } of damages) log.error('the database is damaged', { place, problem });
    if (damages.length > 0)
      log.error('stop the server, and restore a backup or start once with --accept-loss', {
        database: databasePath,
      });
  });
  return worker;
}
