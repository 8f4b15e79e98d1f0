/** Checkpoints a database when asked, and posts whether the log starts anew. Runs in a thread of `checkpoints.ts`. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** `copy`: checkpoint beside the writers. `restart`: checkpoint the rest, and write the log's first frame. `close`: end. */
export type CheckpointRequest = 'copy' | 'restart' | 'close';

const BUSY_TIMEOUT_MS = 1000;

const database = new DatabaseSync(String(workerData), { timeout: BUSY_TIMEOUT_MS });
database.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');
const passive = database.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  const row = passive.get();
  const isWhole = row?.['busy'] === 0 && row['log'] === row['checkpointed'];
  if (request === 'restart' && isWhole) startLog();
  parentPort?.postMessage(isWhole, []);
});

/** Writes a frame, which SQLite does even when the version stays the same. It does not write a row that stays the same. */
function startLog(): void {
  const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
  database.exec(`pragma user_version = ${version}`);
}
