/** The repositories, found by the folders of their manifests. */
import type { OwnedTree } from '@tinkerbell/platform-contract';
import { REPOSITORIES, shelfPath } from './layout.ts';

/** Names have at most 255 characters, of which every second may be a slash. */
const DEPTH_MAX = 128;

/** Returns every name that has a folder of its own, also one whose manifests were all removed. */
export async function* repositoriesIn(tree: OwnedTree, above = ''): AsyncGenerator<string> {
  if (above.split('/').length > DEPTH_MAX) return;
  const entries = await tree.list(above === '' ? REPOSITORIES : `${REPOSITORIES}/${above}`);
  const folders = entries.filter(({ isFolder }) => isFolder);
  if (folders.some(({ name }) => name.startsWith('_'))) yield above;
  for (const { name } of folders)
    if (!name.startsWith('_')) yield* repositoriesIn(tree, above === '' ? name : `${above}/${name}`);
}

export async function hasManifests(tree: OwnedTree, repository: string): Promise<boolean> {
  return (await tree.list(shelfPath(repository, '_manifests'))).length > 0;
}
