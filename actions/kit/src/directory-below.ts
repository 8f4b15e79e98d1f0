import { chmod, chown, lstat, mkdir, readlink } from 'node:fs/promises';
import { join, normalize } from 'node:path';

import { ActionError } from './action-error.ts';

/** The number that Linux follows in one path. */
const LINKS_MAX = 40;

/** What a directory that does not exist yet gets. */
export interface NewDirectory {
  readonly owner: number;
  readonly group: number;
  readonly mode: number;
}

/**
 * Walks down from `root` to a directory, and creates what is missing. A link is followed as a program with this
 * root would follow it, so the result is always below `root`.
 *
 * @throws ActionError when something on the way is not a directory.
 */
export async function directoryBelow(root: string, path: string, missing: NewDirectory): Promise<string> {
  let inside = '/';
  let links = 0;
  const rest = path.split('/').filter(Boolean);
  while (rest.length > 0) {
    const name = rest.shift() ?? '';
    const next = normalize(join(inside, name));
    const info = await lstat(join(root, next)).catch(() => undefined);
    if (info?.isSymbolicLink() === true) {
      links += 1;
      if (links > LINKS_MAX) throw new ActionError(`${path}: too many symbolic links`);
      const target = await readlink(join(root, next));
      if (target.startsWith('/')) inside = '/';
      rest.unshift(...target.split('/').filter(Boolean));
      continue;
    }
    if (info === undefined) {
      await mkdir(join(root, next));
      await chown(join(root, next), missing.owner, missing.group);
      await chmod(join(root, next), missing.mode);
    } else if (!info.isDirectory()) {
      throw new ActionError(`${path}: ${next} is a file, not a directory`);
    }
    inside = next;
  }
  return join(root, inside);
}
