import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file atomically, readable only by its owner. Throws errors of the file system. */
export function writePrivateFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
