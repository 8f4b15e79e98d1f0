/** Manifests by tag or digest. */
import { createHash } from 'node:crypto';
import {
  isDigest,
  MANIFEST_MAX_BYTES,
  manifestMediaTypes,
  readManifest,
  type Digest,
  type Manifest,
} from '@tinkerbell/oci';
import { PlatformError } from '@tinkerbell/platform-contract';
import { DigestCheck } from './digest-check.ts';
import type { EndpointSession } from './endpoint-session.ts';
import { connectionFailure, failure, statusFailure } from './registry-failure.ts';
import { readBounded } from './transport.ts';

export interface ManifestRequest {
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: Digest | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PulledManifest {
  readonly digest: Digest;
  readonly manifest: Manifest;
}

/** Rejects with a PlatformError. A manifest that contradicts its digest is `damaged`. */
export async function getManifest(session: EndpointSession, asked: ManifestRequest): Promise<PulledManifest> {
  const name = asked.digest ?? asked.tag ?? 'latest';
  const request = {
    repository: asked.repository,
    path: `manifests/${name}`,
    what: `the manifest of ${asked.repository}${asked.digest === undefined ? ':' : '@'}${name}`,
    headers: { accept: manifestMediaTypes.join(', ') },
    signal: asked.signal,
  };
  const subject = session.subjectOf(request);
  const answer = await session.send(request);
  if (answer.statusCode !== 200) throw await statusFailure(subject, answer);
  const type = answer.headers['content-type']?.split(';')[0]?.trim();
  const promised = asked.digest ?? promisedDigest(answer.headers['docker-content-digest']);
  try {
    const bytes = await readBounded(answer, MANIFEST_MAX_BYTES);
    if (bytes === undefined) throw failure('too-large', subject, `it exceeds ${MANIFEST_MAX_BYTES} bytes`);
    const digest = checkedDigest(bytes, promised);
    if (digest.problem !== undefined) throw failure('damaged', subject, digest.problem);
    return { digest: digest.value, manifest: readManifest(bytes, knownType(type)) };
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause;
    throw connectionFailure(subject, cause);
  }
}

function promisedDigest(header: string | readonly string[] | undefined): Digest | undefined {
  return typeof header === 'string' && isDigest(header) ? header : undefined;
}

function checkedDigest(
  bytes: Buffer,
  promised: Digest | undefined,
): { readonly value: Digest; readonly problem?: string | undefined } {
  if (promised === undefined) return { value: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
  const check = new DigestCheck(promised);
  check.add(bytes);
  return { value: promised, problem: check.problem() };
}

/** Some registries send a generic type. The manifest's own type then decides. */
function knownType(type: string | undefined): string | undefined {
  return type !== undefined && manifestMediaTypes.includes(type) ? type : undefined;
}
