/** Pulls, pushes and deletions of manifests, and the lists of tags and referrers. */
import { MANIFEST_MAX_BYTES, mediaTypes } from '@tinkerbell/oci';
import {
  readBodyBytes,
  StreamResponse,
  WholeResponse,
  type HttpRequest,
  type OwnedTree,
  queryOf,
} from '@tinkerbell/platform-contract';
import { referrersPath } from './layout.ts';
import { pageOf } from './list-page.ts';
import { checkedDigest, type ManifestStore, type StoredManifest } from './manifests.ts';
import type { RegistryMetrics } from './metrics.ts';
import { referrersOf } from './referrers.ts';
import { RegistryError } from './registry-error.ts';
import { hasManifests } from './repositories.ts';
import { tagsOf } from './tags.ts';
import { requireMethod } from './upload-endpoints.ts';

export interface ManifestEndpointParts {
  readonly tree: OwnedTree;
  readonly manifests: ManifestStore;
  readonly metrics: RegistryMetrics;
}

interface Named {
  readonly repository: string;
  readonly reference: string;
}

export async function answerManifest(
  parts: ManifestEndpointParts,
  named: Named,
  request: HttpRequest,
): Promise<Response> {
  requireMethod(request, ['GET', 'HEAD', 'PUT', 'DELETE']);
  const { manifests, metrics } = parts;
  switch (request.method) {
    case 'PUT':
      return pushManifest(parts, named, request);
    case 'DELETE':
      if (!(await manifests.remove(named.repository, named.reference))) throw unknown(named);
      return new WholeResponse('', { status: 202 });
    default: {
      const found = await manifests.find(named.repository, named.reference);
      if (found === undefined) throw unknown(named);
      metrics.manifests.add({ operation: 'pull' });
      return manifestResponse(found, request);
    }
  }
}

export function manifestResponse(
  { digest, mediaType, bytes }: StoredManifest,
  { headers }: HttpRequest,
): Response {
  const own = {
    'content-type': mediaType,
    'docker-content-digest': digest,
    etag: `"${digest}"`,
    'x-content-type-options': 'nosniff',
  };
  if (headers.get('if-none-match') === own.etag)
    return new StreamResponse(null, { status: 304, headers: own });
  return new WholeResponse(bytes, { headers: own });
}

async function pushManifest(
  { manifests, metrics }: ManifestEndpointParts,
  { repository, reference }: Named,
  request: HttpRequest,
): Promise<Response> {
  const body = await readBodyBytes(request, { bytes: MANIFEST_MAX_BYTES });
  if (!body.ok) throw new RegistryError('MANIFEST_INVALID', body.message, { status: body.status });
  const tags = queryOf(request.url).getAll('tag');
  const contentType = request.headers.get('content-type')?.split(';')[0]?.trim();
  const pushed = { repository, reference, tags, contentType, bytes: body.value };
  const { digest, subject } = await manifests.put(pushed);
  metrics.manifests.add({ operation: 'push' });
  return new WholeResponse('', {
    status: 201,
    headers: {
      location: `/v2/${repository}/manifests/${digest}`,
      'docker-content-digest': digest,
      ...(subject === undefined ? {} : { 'oci-subject': subject }),
      ...(tags.length === 0 ? {} : { 'oci-tag': tags.join(', ') }),
    },
  });
}

/** `GET tags/list`. */
export async function answerTags(
  { tree }: ManifestEndpointParts,
  repository: string,
  request: HttpRequest,
): Promise<Response> {
  requireMethod(request, ['GET', 'HEAD']);
  const all = await tagsOf(tree, repository);
  if (all.length === 0 && !(await hasManifests(tree, repository)))
    throw new RegistryError('NAME_UNKNOWN', `the registry has no repository ${repository}`);
  const { items, headers } = pageOf(all, request.url);
  return json({ name: repository, tags: items }, headers);
}

/** `GET referrers/<digest>`: an index of the manifests with this subject, which need not exist. */
export async function answerReferrers(
  { tree }: ManifestEndpointParts,
  { repository, reference }: Named,
  request: HttpRequest,
): Promise<Response> {
  requireMethod(request, ['GET', 'HEAD']);
  const query = queryOf(request.url);
  const artifactType = query.get('artifactType') ?? undefined;
  const folder = referrersPath(repository, checkedDigest(reference));
  const page = await referrersOf(tree, folder, { artifactType, last: query.get('last') ?? '' });
  if (page.last !== undefined) query.set('last', page.last);
  const next = `</v2/${repository}/referrers/${reference}?${query.toString()}>; rel="next"`;
  const text = `{"schemaVersion":2,"mediaType":"${mediaTypes.imageIndex}","manifests":[${page.descriptors.join()}]}`;
  return new WholeResponse(text, {
    headers: {
      'content-type': mediaTypes.imageIndex,
      ...(artifactType === undefined ? {} : { 'oci-filters-applied': 'artifactType' }),
      ...(page.last === undefined ? {} : { link: next }),
    },
  });
}

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new WholeResponse(JSON.stringify(value), {
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function unknown({ repository, reference }: Named): RegistryError {
  return new RegistryError('MANIFEST_UNKNOWN', `${repository} does not have the manifest ${reference}`);
}
