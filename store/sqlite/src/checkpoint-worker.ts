/** Checkpoints a database when asked, and posts whether the log starts anew. Runs in a thread of `checkpoints.ts`. */
import { fdatasyncSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openWithDescriptor } from './own-descriptor.ts';

/**
 * `copy`: checkpoint beside the writers. `restart`: checkpoint the rest, and write the log's first frame. `close`: end.
 */
export type CheckpointRequest = 'copy' | 'restart' | 'close';

const BUSY_TIMEOUT_MS = 1000;
/** The writers add to the log while it is copied. Each time, there is less to copy. */
const COPIES = 3;

const path = String(workerData);
const { opened: database, descriptor } = openWithDescriptor(path, () => {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  connection.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');
  return connection;
});
const passive = database.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  if (request === 'copy') for (let copies = 0; copies < COPIES; copies += 1) copy();
  const isWhole = copy();
  if (request === 'restart' && isWhole) startLog();
  parentPort?.postMessage(isWhole, []);
});

/**
 * Returns whether all of the log is in the database. SQLite syncs the database only then, and would sync everything that it has copied
 * before while the writers wait.
 */
function copy(): boolean {
  const row = passive.get();
  const isWhole = row?.['busy'] === 0 && row['log'] === row['checkpointed'];
  if (!isWhole && descriptor !== undefined) fdatasyncSync(descriptor);
  return isWhole;
}

/** Writes a frame, which SQLite does even when the version stays the same. It does not write a row that stays the same. */
function startLog(): void {
  const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
  database.exec(`pragma user_version = ${version}`);
}
