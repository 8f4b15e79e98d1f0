import { mkdir, readdir } from 'node:fs/promises';

import { runCommand } from './run-command.ts';

/** Unpacks `.deb` files into one directory, and returns it. */
export async function unpackPackages(files: readonly string[], directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  for (const file of files) await runCommand('dpkg-deb', ['-x', file, directory]);
  if ((await readdir(directory)).length === 0) throw new Error(`nothing in ${files.join(', ')}`);
  return directory;
}
