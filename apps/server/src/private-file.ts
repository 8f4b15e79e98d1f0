import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file whole or not at all, readable by its owner alone. Throws what the file system says. */
export function writePrivateFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
