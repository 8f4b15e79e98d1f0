/** The floor of status updates: a program on Node that only merges, stores and answers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import { HARDWARE } from './patched-hardware.ts';
import { startPrinting } from './running-program.ts';

const PROGRAM = fileURLToPath(new URL('minimal-updates-program.ts', import.meta.url));

export const MINIMAL_UPDATES = 'a socket, JSON and SQLite, on disk before the answer';

/** Starts it with a copy of the Hardware of the server at `url`, so that it stores the same bytes. Returns its URL. */
export async function startMinimalUpdates(context: BenchContext, url: string): Promise<string> {
  const response = await fetch(`${url}${HARDWARE}`);
  const { items } = (await response.json()) as { readonly items: readonly object[] };
  const objectsFile = join(context.directory, 'minimal.json');
  writeFileSync(objectsFile, JSON.stringify(items));
  const databaseFile = join(context.directory, 'minimal.db');
  const words = ['--max-semi-space-size=8', PROGRAM, databaseFile, objectsFile];
  return (await startPrinting(context, [process.execPath, ...words])).url;
}
