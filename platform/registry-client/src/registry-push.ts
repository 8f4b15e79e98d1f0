/** Sends images to a registry: OCI distribution specification v1.1, "Pushing". */
import type { IncomingMessage } from 'node:http';
import type { Digest, ImageReference } from '@tinkerbell/oci';
import { EndpointSession, type EndpointRequest } from './endpoint-session.ts';
import { endpointsFor } from './endpoints.ts';
import { failure, statusFailure } from './registry-failure.ts';
import type { RegistrySettings } from './registry-settings.ts';
import { createTransport, type RequestBody, type TransportLimits } from './transport.ts';

export interface PushedBlob extends RequestBody {
  readonly digest: Digest;
}

export interface PushedManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface PushedImage {
  /** Its tag names the last manifest. */
  readonly reference: ImageReference;
  readonly blobs: readonly PushedBlob[];
  /** Those that others name come first. */
  readonly manifests: readonly PushedManifest[];
}

export interface PushTotals {
  readonly sentBlobs: number;
  readonly sentBytes: number;
}

export interface RegistryPush {
  /** Rejects with a PlatformError. What has arrived is not sent again by the next attempt. */
  push(image: PushedImage, signal?: AbortSignal): Promise<PushTotals>;
}

export interface RegistryPushOptions {
  /** Mirrors do not count. */
  readonly settings: RegistrySettings;
  readonly limits?: TransportLimits;
}

/** Returns a client that pushes one image after the other. */
export function createRegistryPush({ settings, limits }: RegistryPushOptions): RegistryPush {
  const transport = createTransport(settings, limits);
  /** Where a registry has a blob: `host digest` to a repository. */
  const places = new Map<string, string>();
  return {
    async push({ reference, blobs, manifests }, signal) {
      const { registry, repository } = reference;
      const [endpoint] = endpointsFor(registry, { ...settings, mirrors: {} });
      if (endpoint === undefined) throw new TypeError(`${registry} has no endpoint`);
      const target: Target = { session: new EndpointSession(endpoint, transport), repository, signal };
      let [sentBlobs, sentBytes] = [0, 0];
      for (const blob of blobs) {
        const key = `${registry} ${blob.digest}`;
        if (await pushBlob(target, blob, places.get(key))) {
          sentBlobs += 1;
          sentBytes += blob.sizeBytes;
        }
        places.set(key, repository);
      }
      const last = manifests.at(-1);
      for (const manifest of manifests) {
        const name = manifest === last ? (reference.tag ?? manifest.digest) : manifest.digest;
        await pushManifest(target, manifest, name);
      }
      return { sentBlobs, sentBytes };
    },
  };
}

interface Target {
  readonly session: EndpointSession;
  readonly repository: string;
  readonly signal: AbortSignal | undefined;
}

/** Returns false when the registry has it already, here or in another repository. */
async function pushBlob(target: Target, blob: PushedBlob, knownIn: string | undefined): Promise<boolean> {
  const { digest } = blob;
  const { session, repository, signal } = target;
  const what = `the blob ${digest} of ${repository}`;
  const request = { repository, what, signal, actions: 'pull,push' } as const;
  const head = await session.send({ ...request, path: `blobs/${digest}`, method: 'HEAD' });
  head.resume();
  if (head.statusCode === 200) return false;
  const mount = knownIn === undefined ? '' : `?mount=${digest}&from=${encodeURIComponent(knownIn)}`;
  const begin = { ...request, path: `blobs/uploads/${mount}`, method: 'POST' } as const;
  const begun = await accepted(target, begin);
  if (mount !== '' && begun.statusCode === 201) return false;
  const put = {
    ...request,
    path: 'blobs/uploads/',
    location: uploadLocation(begun, begin, { session, digest }),
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: blob,
  } as const;
  await accepted(target, put);
  return true;
}

/** Adds the digest to the address that the registry has named. */
function uploadLocation(
  begun: IncomingMessage,
  begin: EndpointRequest,
  { session, digest }: { readonly session: EndpointSession; readonly digest: Digest },
): string {
  const { base } = session.endpoint;
  const { location } = begun.headers;
  const from = `${base.href}${begin.repository}/${begin.path}`;
  const url = location === undefined ? null : URL.parse(location, from);
  if (url === null)
    throw failure('damaged', session.subjectOf(begin), 'the answer does not name where the upload continues');
  url.searchParams.set('digest', digest);
  return url.href;
}

async function pushManifest(target: Target, manifest: PushedManifest, name: string): Promise<void> {
  const { repository, signal } = target;
  const { bytes, mediaType } = manifest;
  await accepted(target, {
    repository,
    signal,
    path: `manifests/${name}`,
    what: `the manifest ${name} of ${repository}`,
    method: 'PUT',
    actions: 'pull,push',
    headers: { 'content-type': mediaType },
    body: {
      sizeBytes: bytes.length,
      async *chunks() {
        yield bytes;
      },
    },
  });
}

/** Rejects for an answer that is not a success. */
async function accepted({ session }: Target, request: EndpointRequest): Promise<IncomingMessage> {
  const answer = await session.send(request);
  const status = answer.statusCode ?? 0;
  if (status < 200 || status >= 300) throw await statusFailure(session.subjectOf(request), answer);
  answer.resume();
  return answer;
}
