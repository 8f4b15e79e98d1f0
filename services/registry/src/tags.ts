/** Tags of a repository. */
import { isDigest, isTag, type Digest } from '@tinkerbell/oci';
import type { OwnedTree } from '@tinkerbell/platform-contract';
import { RegistryError } from './registry-error.ts';
import { shelfPath, tagPath } from './layout.ts';

/** A list of more takes long to read. */
export const TAGS_MAX = 100_000;

export async function tagsOf(tree: OwnedTree, repository: string): Promise<readonly string[]> {
  return (await tree.list(shelfPath(repository, '_tags'))).map(({ name }) => name).filter(isTag);
}

export async function digestOfTag(
  tree: OwnedTree,
  repository: string,
  tag: string,
): Promise<Digest | undefined> {
  const bytes = await tree.read(tagPath(repository, tag));
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  return isDigest(text) ? text : undefined;
}

export async function setTag(
  tree: OwnedTree,
  { repository, tag, digest }: { repository: string; tag: string; digest: Digest },
): Promise<void> {
  const path = tagPath(repository, tag);
  if ((await tree.stat(path)) === undefined && (await tagsOf(tree, repository)).length >= TAGS_MAX)
    throw new RegistryError('DENIED', `the repository has ${TAGS_MAX} tags; delete some`);
  await tree.write(path, new TextEncoder().encode(digest));
}

export async function removeTagsOf(tree: OwnedTree, repository: string, digest: Digest): Promise<void> {
  for (const tag of await tagsOf(tree, repository))
    if ((await digestOfTag(tree, repository, tag)) === digest) await tree.remove(tagPath(repository, tag));
}
