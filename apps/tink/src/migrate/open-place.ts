/** Opens stores by their names: `sqlite:/var/lib/tinkerbell`, `postgres://…`, `kubernetes:[kubeconfig]`. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { TransferPlace } from '@tinkerbell/engine-transfer';
import { TinkFailure, usageFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';

interface OpenOptions {
  readonly log: Log;
  readonly terminal: Terminal;
  readonly side: '--from' | '--to';
  /** Creates nothing. */
  readonly isDryRun: boolean;
}

const FORMS =
  'supported forms: sqlite:/path/of/data-dir, postgres://user:password@host:5432/database and kubernetes:[kubeconfig]';

/** `cleanup` closes everything. Throws a TinkFailure that never contains a password. */
export async function openPlace(
  text: string,
  options: OpenOptions,
  cleanup: AsyncDisposableStack,
): Promise<TransferPlace> {
  const { side, terminal } = options;
  if (text.startsWith('sqlite:')) return sqlitePlace(resolve(text.slice('sqlite:'.length)), options, cleanup);
  if (text.startsWith('kubernetes:'))
    return kubernetesPlace(text.slice('kubernetes:'.length), options, cleanup);
  const url = text === 'postgres:' ? (terminal.environment['TINKERBELL_POSTGRES_URL'] ?? '') : text;
  if (text === 'postgres:' && url === '')
    throw usageFailure(`${side} postgres: requires TINKERBELL_POSTGRES_URL in the environment`, FORMS);
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw usageFailure(`${side}: unknown store ${JSON.stringify(text.split('@').at(-1))}`, FORMS);
  return postgresPlace(url, options, cleanup);
}

/** Holds the lock of the database, so that no server writes to it meanwhile. */
async function sqlitePlace(
  folder: string,
  { log, side, isDryRun }: OpenOptions,
  cleanup: AsyncDisposableStack,
): Promise<TransferPlace> {
  const { openSqliteJournal } = await import('@tinkerbell/store-journal');
  const { openSqliteLeaseBook, openSqliteStore } = await import('@tinkerbell/store-sqlite');
  const path = join(folder, 'tinkerbell.db');
  const name = `sqlite:${folder}`;
  if (side === '--from' && !existsSync(path))
    throw new TinkFailure(`${path} not found`, {
      advice: 'set the data folder of the server: --data-dir',
    });
  if (isDryRun && !existsSync(path)) return placeToBe(name, log, cleanup);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = cleanup.adopt(new DatabaseSync(join(folder, 'lock')), (one) => one.close());
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch {
    throw new TinkFailure(`a server is using ${folder}`, {
      advice: 'stop it (systemctl stop tinkerbell), migrate, and start it with the new --store',
    });
  }
  return {
    name,
    store: cleanup.use(openSqliteStore({ path, log })),
    journal: cleanup.use(openSqliteJournal({ path, clock: nodeClock, log })),
    leases: cleanup.use(openSqliteLeaseBook({ path })),
  };
}

/** Simulates a new data folder in a dry run, with timelines and leases like a real one. */
async function placeToBe(name: string, log: Log, cleanup: AsyncDisposableStack): Promise<TransferPlace> {
  const { createMemoryStore } = await import('@tinkerbell/store-memory');
  const { openSqliteJournal } = await import('@tinkerbell/store-journal');
  const { openSqliteLeaseBook } = await import('@tinkerbell/store-sqlite');
  const path = ':memory:';
  return {
    name,
    store: cleanup.use(createMemoryStore()),
    journal: cleanup.use(openSqliteJournal({ path, clock: nodeClock, log })),
    leases: cleanup.use(openSqliteLeaseBook({ path })),
  };
}

async function postgresPlace(
  url: string,
  { log }: OpenOptions,
  cleanup: AsyncDisposableStack,
): Promise<TransferPlace> {
  const { openPostgresJournal, openPostgresLeaseBook, openPostgresStore } =
    await import('@tinkerbell/store-postgres');
  const { host, pathname } = new URL(url);
  const options = { url, clock: nodeClock, log };
  return {
    name: `postgres://${host}${pathname}`,
    store: cleanup.use(await openPostgresStore(options)),
    journal: cleanup.use(await openPostgresJournal(options)),
    leases: cleanup.use(await openPostgresLeaseBook(options)),
  };
}

async function kubernetesPlace(
  kubeconfig: string,
  { log, terminal }: OpenOptions,
  cleanup: AsyncDisposableStack,
): Promise<TransferPlace> {
  const { accessFrom, openKubernetesStore } = await import('@tinkerbell/store-kubernetes');
  const access = accessFrom(kubeconfig, terminal.environment);
  const store = cleanup.use(await openKubernetesStore({ access, clock: nodeClock, random: nodeRandom, log }));
  return { name: `kubernetes ${access.url}`, store, isCluster: true };
}
