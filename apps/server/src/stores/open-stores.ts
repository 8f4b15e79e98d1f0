/** Opens the configured stores. Loads only these, so that other stores take no memory. */
import type { Log } from '@tinkerbell/platform-contract';
import { allowCompilers, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Journal, LeaseBook, Store } from '@tinkerbell/store-contract';
import type { KubernetesStore } from '@tinkerbell/store-kubernetes';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { Checkpoints, openSqliteLeaseBook, openSqliteStore } from '@tinkerbell/store-sqlite';
import type { Settings } from '../settings/settings.ts';
import { hasMuchToRead } from './much-to-read.ts';
import { verifyDataFile } from './verify-data-file.ts';
import { openWaitingPort } from '../http/waiting-port.ts';

export interface Stores {
  readonly store: Store;
  readonly journal: Journal;
  /** The leases of address pools; undefined without pools. */
  openLeases(): Promise<LeaseBook>;
  /** True if other servers may write it too. */
  readonly isShared: boolean;
  /** The store, if it is the API of a cluster. */
  readonly cluster?: Pick<KubernetesStore, 'failure' | 'metrics'>;
  /** True if several servers share one journal. */
  readonly isJournalShared: boolean;
}

type StoresOptions = Pick<Settings, 'store' | 'journal' | 'acceptLoss' | 'http'> & {
  readonly databasePath: string;
  readonly log: Log;
  /** Ends the wait for a cluster. */
  readonly signal: AbortSignal;
};

/** `cleanup` closes everything, also after a failure. Rejects with a message for the operator. */
export function openStores(options: StoresOptions, cleanup: AsyncDisposableStack): Promise<Stores> {
  if (hasMuchToRead(options.store, options.databasePath)) allowCompilers();
  switch (options.store.kind) {
    case 'sqlite':
      return Promise.resolve(fileStores(options, cleanup));
    case 'memory':
      return memoryStores(options, cleanup);
    case 'postgres':
      return postgresStores(options, options.store.url, cleanup);
    case 'kubernetes':
      return kubernetesStores(options, options.store.kubeconfig, cleanup);
  }
}

function fileStores(options: StoresOptions, cleanup: AsyncDisposableStack): Stores {
  const { databasePath: path, log, journal: bounds } = options;
  // Check before opening for writing, which may change the files and what can be recovered from them.
  const loss = verifyDataFile(options, cleanup);
  const file = { path, isVerified: true, checkpoints: cleanup.use(new Checkpoints({ path, log })) };
  const store = cleanup.use(openSqliteStore({ ...file, log }));
  const journal = cleanup.use(openSqliteJournal({ ...file, ...bounds, clock: nodeClock, log }));
  if (loss !== undefined) journal.append(loss);
  return {
    store,
    journal,
    openLeases: () => Promise.resolve(cleanup.use(openSqliteLeaseBook(file))),
    isShared: false,
    isJournalShared: false,
  };
}

async function memoryStores({ log, journal }: StoresOptions, cleanup: AsyncDisposableStack): Promise<Stores> {
  const { createMemoryLeaseBook, createMemoryStore } = await import('@tinkerbell/store-memory');
  return {
    store: cleanup.use(createMemoryStore()),
    journal: cleanup.use(openSqliteJournal({ path: ':memory:', clock: nodeClock, log, ...journal })),
    openLeases: () => Promise.resolve(cleanup.use(createMemoryLeaseBook())),
    isShared: false,
    isJournalShared: false,
  };
}

async function postgresStores(
  { log, journal }: StoresOptions,
  url: string,
  cleanup: AsyncDisposableStack,
): Promise<Stores> {
  const { openPostgresJournal, openPostgresLeaseBook, openPostgresStore } =
    await import('@tinkerbell/store-postgres');
  const options = { url, clock: nodeClock, log };
  return {
    store: cleanup.use(await openPostgresStore(options)),
    journal: cleanup.use(await openPostgresJournal({ ...options, ...journal })),
    openLeases: async () => cleanup.use(await openPostgresLeaseBook(options)),
    isShared: true,
    isJournalShared: true,
  };
}

/** Records and leases are not objects, so they stay in the data folder of each server. */
async function kubernetesStores(
  options: StoresOptions,
  kubeconfig: string,
  cleanup: AsyncDisposableStack,
): Promise<Stores> {
  const { accessFrom, createKubernetesStore } = await import('@tinkerbell/store-kubernetes');
  const { databasePath: path, log, journal } = options;
  const access = accessFrom(kubeconfig, process.env);
  const loss = verifyDataFile(options, cleanup);
  const file = { path, isVerified: true, checkpoints: cleanup.use(new Checkpoints({ path, log })) };
  const records = cleanup.use(openSqliteJournal({ ...file, ...journal, clock: nodeClock, log }));
  if (loss !== undefined) records.append(loss);
  const store = cleanup.use(createKubernetesStore({ access, clock: nodeClock, random: nodeRandom, log }));
  await waited(options, store);
  return {
    store,
    cluster: store,
    journal: records,
    openLeases: () => Promise.resolve(cleanup.use(openSqliteLeaseBook(file))),
    isShared: true,
    isJournalShared: false,
  };
}

/** Resolves when the cluster has everything that a server needs. */
async function waited(options: StoresOptions, store: KubernetesStore): Promise<void> {
  const { waitForCluster } = await import('@tinkerbell/store-kubernetes');
  const { http, log, signal } = options;
  let isWaiting = false;
  await using waiting = new AsyncDisposableStack();
  await waitForCluster({
    problem: () => store.problem(),
    clock: nodeClock,
    random: nodeRandom,
    log,
    signal,
    async onWaiting() {
      if (isWaiting) return;
      isWaiting = true;
      waiting.use(await openWaitingPort(http, store, log));
    },
  });
}
