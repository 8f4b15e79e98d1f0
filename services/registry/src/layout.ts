/**
 * Where the registry keeps its files:
 *
 *     blobs/sha256/ab/<hex>                              the bytes of a layer, a configuration or a manifest
 *     uploads/<id>.<repository>                          what has arrived of an upload; the repository as a short hash
 *     repositories/<name>/_layers/sha256-<hex>           the repository has this blob (empty)
 *     repositories/<name>/_manifests/sha256-<hex>        the repository has this manifest (its media type)
 *     repositories/<name>/_tags/<tag>                    the digest that the tag names
 *     repositories/<name>/_referrers/sha256-<hex>/sha256-<hex>   the descriptor of a manifest whose subject is the first digest
 *
 * No element of a repository's name begins with an underscore. A blob is written before the links that name it, so that a crash
 * leaves at most a blob without a link, which garbage collection removes.
 */
import { algorithmOf, hexOf, isDigest, type Digest } from '@tinkerbell/oci';

export const BLOBS = 'blobs';
export const UPLOADS = 'uploads';
export const REPOSITORIES = 'repositories';

export type Shelf = '_layers' | '_manifests' | '_tags' | '_referrers';

export function blobPath(digest: Digest): string {
  const hex = hexOf(digest);
  return `${BLOBS}/${algorithmOf(digest)}/${hex.slice(0, 2)}/${hex}`;
}

export function shelfPath(repository: string, shelf: Shelf): string {
  return `${REPOSITORIES}/${repository}/${shelf}`;
}

export function layerPath(repository: string, digest: Digest): string {
  return `${shelfPath(repository, '_layers')}/${fileNameOf(digest)}`;
}

export function manifestPath(repository: string, digest: Digest): string {
  return `${shelfPath(repository, '_manifests')}/${fileNameOf(digest)}`;
}

export function tagPath(repository: string, tag: string): string {
  return `${shelfPath(repository, '_tags')}/${tag}`;
}

/** The folder of the manifests whose subject is this digest. */
export function referrersPath(repository: string, subject: Digest): string {
  return `${shelfPath(repository, '_referrers')}/${fileNameOf(subject)}`;
}

export function fileNameOf(digest: Digest): string {
  return digest.replace(':', '-');
}

/** Returns undefined for a file that is not named after a digest. */
export function digestOfFileName(name: string): Digest | undefined {
  const text = name.replace('-', ':');
  return isDigest(text) ? text : undefined;
}
