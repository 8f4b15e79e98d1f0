/** Paths of the OCI distribution specification v1.1, section "Endpoints". */
import { isRepository } from '@tinkerbell/oci';
import { decodedPathOf } from '@tinkerbell/platform-contract';
import { RegistryError } from './registry-error.ts';

export type RegistryTarget =
  | { readonly kind: 'base' | 'catalog' }
  | { readonly kind: 'tags' | 'uploads'; readonly repository: string }
  /** `reference`: a tag or a digest for a manifest, a digest for a blob and for referrers, an id for an upload. */
  | {
      readonly kind: 'manifest' | 'blob' | 'upload' | 'referrers';
      readonly repository: string;
      readonly reference: string;
    };

export const REGISTRY_PREFIX = '/v2';

/** A repository has 255 characters, and a digest 135. */
const PATH_CHARACTERS_MAX = 1024;

const COLLECTIONS = [
  ['tags', /^\/v2\/(.+)\/tags\/list$/],
  ['uploads', /^\/v2\/(.+)\/blobs\/uploads\/?$/],
] as const;
/** An upload first, because the rest of its path looks like a blob of another repository. */
const MEMBERS = [
  ['upload', /^\/v2\/(.+)\/blobs\/uploads\/([^/]+)$/],
  ['blob', /^\/v2\/(.+)\/blobs\/([^/]+)$/],
  ['manifest', /^\/v2\/(.+)\/manifests\/([^/]+)$/],
  ['referrers', /^\/v2\/(.+)\/referrers\/([^/]+)$/],
] as const;

/** Returns undefined for a path outside the registry. Throws a RegistryError for one that it does not have. */
export function registryTargetOf(url: string): RegistryTarget | undefined {
  const path = decodedPathOf(url);
  if (path === undefined || path.length > PATH_CHARACTERS_MAX)
    throw new RegistryError('NAME_INVALID', 'the path is too long, or has an invalid escape');
  if (path === '/v2' || path === '/v2/') return { kind: 'base' };
  if (!path.startsWith('/v2/')) return undefined;
  if (path === '/v2/_catalog') return { kind: 'catalog' };
  return memberAt(path);
}

function memberAt(path: string): RegistryTarget {
  for (const [kind, pattern] of COLLECTIONS) {
    const match = pattern.exec(path);
    if (match !== null) return { kind, repository: checkedRepository(match[1]) };
  }
  for (const [kind, pattern] of MEMBERS) {
    const match = pattern.exec(path);
    if (match !== null) return { kind, repository: checkedRepository(match[1]), reference: match[2] ?? '' };
  }
  throw new RegistryError('UNSUPPORTED', 'the registry has no such path', { status: 404 });
}

export function checkedRepository(name: string | undefined): string {
  if (name !== undefined && isRepository(name)) return name;
  throw new RegistryError(
    'NAME_INVALID',
    `${JSON.stringify(name?.slice(0, 200))} is not a repository; use lower-case letters, digits, ".", "_", "-" and "/"`,
  );
}
