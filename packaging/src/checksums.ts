import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** Returns the sums of files in the format of `sha256sum`, sorted by name. */
export async function sha256Sums(paths: readonly string[]): Promise<string> {
  const lines = paths.map(async (path) => {
    const sum = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return `${sum}  ${basename(path)}\n`;
  });
  const byName = (line: string): string => line.slice(line.indexOf(' '));
  return (await Promise.all(lines)).toSorted((one, other) => (byName(one) < byName(other) ? -1 : 1)).join('');
}
