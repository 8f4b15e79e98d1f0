/** Pulls and deletions of blobs. */
import { answerFor, multipartStream, type ByteRange } from '@tinkerbell/engine-file-answers';
import type { Digest } from '@tinkerbell/oci';
import {
  StreamResponse,
  WholeResponse,
  type Files,
  type HttpRequest,
  type StreamProgress,
} from '@tinkerbell/platform-contract';
import type { BlobStore } from './blobs.ts';
import { blobPath } from './layout.ts';
import { checkedDigest } from './manifests.ts';
import type { RegistryMetrics } from './metrics.ts';
import { RegistryError } from './registry-error.ts';
import { requireMethod } from './upload-endpoints.ts';

export interface BlobParts {
  readonly blobs: BlobStore;
  readonly files: Files;
  /** The absolute folder of the registry. */
  readonly directory: string;
  readonly metrics: RegistryMetrics;
}

export async function answerBlob(
  parts: BlobParts,
  { repository, reference }: { readonly repository: string; readonly reference: string },
  request: HttpRequest,
): Promise<Response> {
  requireMethod(request, ['GET', 'HEAD', 'DELETE']);
  const { blobs } = parts;
  const digest = checkedDigest(reference);
  if (request.method === 'DELETE') {
    if (!(await blobs.remove(repository, digest))) throw unknown(digest);
    return new WholeResponse('', { status: 202 });
  }
  const found = await blobs.find(repository, digest);
  if (found === undefined) throw unknown(digest);
  return fileAnswer(parts, { digest, ...found }, request);
}

interface FoundBlob {
  readonly digest: Digest;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** The content of a digest never changes, so its ETag is the digest. */
function fileAnswer(parts: BlobParts, blob: FoundBlob, { method, headers: asked }: HttpRequest): Response {
  const { digest } = blob;
  const { status, headers, range, multipart } = answerFor(asked, {
    ...blob,
    etag: `"${digest}"`,
    contentType: 'application/octet-stream',
    headers: { 'docker-content-digest': digest, 'cache-control': 'private, max-age=31536000, immutable' },
  });
  if (method === 'HEAD') return new StreamResponse(null, { status, headers });
  const read = (part: ByteRange, progress: StreamProgress) =>
    parts.files.stream(parts.directory, blobPath(digest), { ...part, progress });
  if (multipart !== undefined)
    return new StreamResponse(
      multipartStream(multipart, read, () => counting(parts)),
      { status, headers },
    );
  if (range === undefined) return new StreamResponse(null, { status, headers });
  return new StreamResponse(read(range, counting(parts)), { status, headers });
}

function counting({ metrics }: BlobParts): StreamProgress {
  return { moved: (bytes) => metrics.sentBytes.add({}, bytes), ended() {} };
}

function unknown(digest: Digest): RegistryError {
  return new RegistryError('BLOB_UNKNOWN', `the repository does not have the blob ${digest}`);
}
