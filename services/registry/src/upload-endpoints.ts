/** Pushes of blobs: OCI distribution specification v1.1, "Pushing Blobs". */
import type { Digest } from '@tinkerbell/oci';
import { WholeResponse, type HttpRequest, queryOf } from '@tinkerbell/platform-contract';
import type { BlobStore } from './blobs.ts';
import { checkedDigest } from './manifests.ts';
import { RegistryError } from './registry-error.ts';
import { checkedRepository } from './registry-path.ts';
import type { Chunks, UploadPlace, Uploads } from './uploads.ts';

export interface UploadStores {
  readonly uploads: Uploads;
  readonly blobs: BlobStore;
}

/** `POST blobs/uploads/`: begins an upload, sends a whole blob, or mounts one of another repository. */
export async function beginUpload(
  { uploads, blobs }: UploadStores,
  repository: string,
  request: HttpRequest,
): Promise<Response> {
  requireMethod(request, ['POST']);
  const query = queryOf(request.url);
  const mount = query.get('mount');
  if (mount !== null) {
    const from = query.get('from') ?? undefined;
    const source = { from: from === undefined ? undefined : checkedRepository(from), to: repository };
    const digest = checkedDigest(mount);
    if (await blobs.mount(digest, source)) return created(repository, digest);
  }
  const digest = query.get('digest');
  if (digest === null || mount !== null) return accepted(await uploads.begin(repository), 0);
  const wanted = checkedDigest(digest);
  const place = await uploads.begin(repository);
  try {
    await uploads.finish(place, bodyOf(request), wanted);
  } catch (thrown) {
    // The client does not know the upload, and cannot resume it.
    await uploads.cancel(place).catch(() => undefined);
    throw thrown;
  }
  return created(repository, wanted);
}

/** `GET`, `PATCH`, `PUT` and `DELETE` of an upload. */
export async function changeUpload(
  { uploads }: UploadStores,
  place: UploadPlace,
  request: HttpRequest,
): Promise<Response> {
  requireMethod(request, ['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE']);
  switch (request.method) {
    case 'PATCH':
      return accepted(place, await resumable(uploads, place, () => uploads.append(place, bodyOf(request))));
    case 'PUT': {
      const digest = checkedDigest(queryOf(request.url).get('digest') ?? '');
      await resumable(uploads, place, () => uploads.finish(place, bodyOf(request), digest));
      return created(place.repository, digest);
    }
    case 'DELETE':
      await uploads.cancel(place);
      return new WholeResponse('', { status: 204 });
    default:
      return accepted(place, await uploads.size(place), 204);
  }
}

export function requireMethod({ method }: HttpRequest, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new RegistryError('UNSUPPORTED', `${method} is not supported here`, {
    headers: { allow: allowed.join(', ') },
  });
}

/** A client that sent the wrong chunk learns where to resume. */
async function resumable<Value>(
  uploads: Uploads,
  place: UploadPlace,
  act: () => Promise<Value>,
): Promise<Value> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof RegistryError) || thrown.status !== 416) throw thrown;
    const { code, message, status } = thrown;
    const headers = stateOf(place, await uploads.size(place));
    throw new RegistryError(code, message, { status, headers });
  }
}

function accepted(place: UploadPlace, sizeBytes: number, status = 202): Response {
  return new WholeResponse('', { status, headers: stateOf(place, sizeBytes) });
}

/** `Range` has inclusive bounds, so that an upload of nothing is written like one of a single byte. */
function stateOf({ repository, id }: UploadPlace, sizeBytes: number): Record<string, string> {
  return {
    location: `/v2/${repository}/blobs/uploads/${id}`,
    range: `0-${Math.max(0, sizeBytes - 1)}`,
    'docker-upload-uuid': id,
  };
}

function created(repository: string, digest: Digest): Response {
  return new WholeResponse('', {
    status: 201,
    headers: { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest },
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function bodyOf(request: HttpRequest): Chunks {
  const length = lengthOf(request);
  const range = contentRangeOf(request);
  if (range !== undefined && length !== undefined && length !== range.lengthBytes)
    throw new RegistryError(
      'SIZE_INVALID',
      `Content-Range has ${range.lengthBytes} bytes, and Content-Length is ${length}`,
    );
  request.expectLongBody?.();
  return {
    chunks: request.chunks?.() ?? request.body ?? nothing(),
    start: range?.start,
    lengthBytes: length ?? range?.lengthBytes,
  };
}

function lengthOf({ headers }: HttpRequest): number | undefined {
  const text = headers.get('content-length');
  if (text === null) return undefined;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new RegistryError('SIZE_INVALID', 'Content-Length must be a number of bytes');
}

/** `<start>-<end>`, inclusive. Some clients write `bytes ` before it, or `/<size>` after it. */
function contentRangeOf({ headers }: HttpRequest): { start: number; lengthBytes: number } | undefined {
  const text = headers.get('content-range');
  if (text === null) return undefined;
  const match = /^(?:bytes[ =])?([0-9]{1,15})-([0-9]{1,15})(?:\/(?:[0-9]+|\*))?$/.exec(text.trim());
  const [, first = '', last = ''] = match ?? [];
  const [start, end] = [Number(first), Number(last)];
  if (match === null || end < start)
    throw new RegistryError(
      'BLOB_UPLOAD_INVALID',
      `Content-Range ${JSON.stringify(text.slice(0, 100))} is invalid; write <first byte>-<last byte>`,
      { status: 416 },
    );
  return { start, lengthBytes: end - start + 1 };
}
