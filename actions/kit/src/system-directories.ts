import { directoryBelow } from './directory-below.ts';
import type { ActionContext } from './action.ts';
import { bindMount, unmount } from './mounted.ts';

const DIRECTORIES = ['/dev', '/proc', '/sys'];
const MISSING = { owner: 0, group: 0, mode: 0o755 } as const;

/**
 * Makes `/dev`, `/proc` and `/sys` appear below `root` while `work` runs programs with that root. A link of that
 * name is followed below `root` only.
 */
export async function withSystemDirectories<Result>(
  root: string,
  context: Pick<ActionContext, 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const bound: string[] = [];
  try {
    for (const source of DIRECTORIES) {
      const target = await directoryBelow(root, source, MISSING);
      await bindMount(source, target, context);
      bound.push(target);
    }
    return await work();
  } finally {
    for (const target of bound.reverse()) await unmount(target, context);
  }
}
