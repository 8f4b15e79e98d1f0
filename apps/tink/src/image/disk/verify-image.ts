/** Reads all of an image from the registry and compares every digest. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { isDiskManifest, type DiskImage, type StoredChunk } from '@tinkerbell/images';
import { algorithmOf, hexOf, readManifest, type Digest } from '@tinkerbell/oci';
import { TinkFailure } from '../../failure.ts';
import type { RegistrySession } from '../registry-session.ts';
import { storedDisk } from './stored-disks.ts';

export interface Verified {
  readonly digest: Digest;
  readonly blobs: number;
  /** Undefined for a container image. */
  readonly chunks: number | undefined;
}

interface Place {
  readonly repository: string;
  readonly reference: string;
}

const unpack = promisify(zstdDecompress);

/** Throws a TinkFailure that names the damaged part. */
export async function verifyImage(
  registry: RegistrySession,
  { repository, reference }: Place,
): Promise<Verified> {
  const { digest, bytes, mediaType } = await registry.manifest(repository, reference);
  if (createHash(algorithmOf(digest)).update(bytes).digest('hex') !== hexOf(digest))
    throw damaged('the manifest', digest);
  const manifest = readManifest(bytes, mediaType);
  if (manifest.kind === 'index')
    throw new TinkFailure(`${repository}:${reference} is an index of images`, {
      advice: 'verify one of its images by its digest',
    });
  const image = isDiskManifest(manifest) ? await storedDisk(registry, repository, manifest) : undefined;
  const blobs = new Set([manifest.config, ...manifest.layers].map((blob) => blob.digest));
  for (const blob of blobs) await verifyBlob(await registry.blob(repository, blob), blob, image);
  return { digest, blobs: manifest.layers.length, chunks: image?.chunks.length };
}

async function verifyBlob(
  stream: AsyncIterable<Uint8Array>,
  digest: Digest,
  image: DiskImage | undefined,
): Promise<void> {
  const hash = createHash(algorithmOf(digest));
  const chunks = chunksIn(image, digest);
  let [next, at] = [0, 0];
  let buffer: Buffer | undefined;
  for await (const piece of stream) {
    hash.update(piece);
    const end = at + piece.length;
    for (let chunk = chunks[next]; chunk !== undefined && chunk.offset < end; chunk = chunks[next]) {
      buffer ??= Buffer.allocUnsafe(chunk.length);
      const from = Math.max(chunk.offset, at);
      const to = Math.min(chunk.offset + chunk.length, end);
      buffer.set(piece.subarray(from - at, to - at), from - chunk.offset);
      if (to < chunk.offset + chunk.length) break;
      await verifyChunk(buffer, chunk, image?.chunkBytes ?? 0);
      buffer = undefined;
      next += 1;
    }
    at = end;
  }
  if (next < chunks.length || hash.digest('hex') !== hexOf(digest)) throw damaged('the blob', digest);
}

function chunksIn(image: DiskImage | undefined, digest: Digest): readonly StoredChunk[] {
  const pack = image?.packs.findIndex((one) => one.digest === digest);
  return (image?.chunks ?? [])
    .filter((chunk) => chunk.pack === pack)
    .toSorted((one, other) => one.offset - other.offset);
}

async function verifyChunk(packed: Buffer, { digest }: StoredChunk, chunkBytes: number): Promise<void> {
  const bytes = await unpack(packed, { maxOutputLength: chunkBytes }).catch(() => undefined);
  if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== hexOf(digest))
    throw damaged('the chunk', digest);
}

function damaged(what: string, digest: Digest): TinkFailure {
  return new TinkFailure(`${what} ${digest} is damaged`, {
    advice:
      'check the disk of the server; delete the image, run "tink image gc" after an hour, and add it again',
  });
}
