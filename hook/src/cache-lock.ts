/**
 * Ensures that one process at a time fills the cache. Tests and demos that run side by side wait for the
 * first, and then find everything there. The lock is the operating system's, held through SQLite, and ends
 * with its process in any case.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;

/** Runs `body` while this process alone has the cache. Do not nest calls. */
export async function withCacheLock<Value>(
  cacheDirectory: string,
  body: () => Promise<Value>,
): Promise<Value> {
  await mkdir(cacheDirectory, { recursive: true });
  const lock = new DatabaseSync(join(cacheDirectory, 'lock'), { timeout: 0 });
  try {
    while (!isTaken(lock)) await sleep(LOOK_AGAIN_MS);
    return await body();
  } finally {
    lock.close();
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (thrown) {
    if (/locked/.test(String(thrown))) return false;
    throw thrown;
  }
}
