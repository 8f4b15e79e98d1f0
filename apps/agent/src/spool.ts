/**
 * The report of a finished action, stored on the machine until the server has acknowledged it. If the agent crashes or the server
 * is unreachable, the action does not run again.
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { finishedActionIn, type FinishedAction } from './kept-files.ts';

export interface Spool {
  /** Returns when the record survives a crash of this process. */
  store(finished: FinishedAction): Promise<void>;
  /** Returns the unacknowledged report or undefined. */
  pending(): Promise<FinishedAction | undefined>;
  clear(): Promise<void>;
}

export function createSpool(directory: string): Spool {
  const path = join(directory, 'report.json');
  return {
    async store(finished) {
      await mkdir(directory, { recursive: true });
      const handle = await open(`${path}.partial`, 'w', 0o600);
      try {
        await handle.writeFile(JSON.stringify(finished));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${path}.partial`, path);
    },
    async pending() {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) return undefined;
      try {
        return finishedActionIn(text);
      } catch {
        // A damaged disk. The server assigns the action again, or times it out.
        await rm(path, { force: true });
        return undefined;
      }
    },
    async clear() {
      await rm(path, { force: true });
    },
  };
}
