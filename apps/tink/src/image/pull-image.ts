/** Writes an image of the registry to a tar archive with an OCI layout. */
import { createHash } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { algorithmOf, hexOf, readManifest, type Descriptor, type Digest } from '@tinkerbell/oci';
import { messageOf } from '@tinkerbell/platform-contract';
import { encodeHeader, paddingBytes } from '@tinkerbell/tar';
import { TinkFailure } from '../failure.ts';
import { blobName, type SourceManifest } from './image-source.ts';
import type { RegistrySession } from './registry-session.ts';

export interface PulledImage {
  readonly digest: Digest;
  readonly blobs: number;
  readonly bytes: number;
}

interface Wanted {
  readonly repository: string;
  readonly reference: string;
  /** The file. It appears when it is complete. */
  readonly target: string;
}

export async function pullImage(registry: RegistrySession, wanted: Wanted): Promise<PulledImage> {
  const { repository, reference, target } = wanted;
  const manifests = new Map<Digest, SourceManifest>();
  const blobs = new Map<Digest, Descriptor>();
  const root = await collect(registry, { repository, reference }, { manifests, blobs });
  const unfinished = `${target}.unfinished`;
  try {
    await using file = await open(unfinished, 'w');
    await addBytes(file, 'oci-layout', '{"imageLayoutVersion":"1.0.0"}');
    for (const { digest, bytes } of manifests.values()) await addBytes(file, blobName(digest), bytes);
    for (const blob of blobs.values())
      await addVerified(file, blob, await registry.blob(repository, blob.digest));
    await addBytes(file, 'index.json', indexOf(root, reference));
    await file.write(new Uint8Array(1024));
    await file.datasync();
    await rename(unfinished, target);
  } catch (thrown) {
    await rm(unfinished, { force: true });
    if (thrown instanceof TinkFailure) throw thrown;
    throw new TinkFailure(`cannot write ${target}: ${messageOf(thrown)}`);
  }
  const bytes = blobs.values().reduce((sum, { size }) => sum + size, 0);
  return { digest: root.digest, blobs: blobs.size, bytes };
}

interface Found {
  readonly manifests: Map<Digest, SourceManifest>;
  readonly blobs: Map<Digest, Descriptor>;
}

async function collect(
  registry: RegistrySession,
  { repository, reference }: Omit<Wanted, 'target'>,
  found: Found,
): Promise<SourceManifest> {
  const manifest = await registry.manifest(repository, reference);
  verify(manifest.digest, hashOf(manifest.digest, [manifest.bytes]));
  found.manifests.set(manifest.digest, manifest);
  const content = readManifest(manifest.bytes, manifest.mediaType);
  if (content.kind === 'image')
    for (const blob of [content.config, ...content.layers]) found.blobs.set(blob.digest, blob);
  else
    for (const { digest } of content.manifests)
      if (!found.manifests.has(digest)) await collect(registry, { repository, reference: digest }, found);
  return manifest;
}

function indexOf({ mediaType, digest, bytes }: SourceManifest, reference: string): string {
  const annotations = { 'org.opencontainers.image.ref.name': reference };
  const entry = { mediaType, digest, size: bytes.length, annotations };
  return JSON.stringify({ schemaVersion: 2, manifests: [entry] });
}

function headerOf(name: string, size: number): Uint8Array {
  return encodeHeader({ kind: 'file', name, mode: 0o644, size });
}

function paddingOf(size: number): Uint8Array {
  return new Uint8Array(paddingBytes(size));
}

async function addBytes(file: FileHandle, name: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  await file.write(Buffer.concat([headerOf(name, bytes.length), bytes, paddingOf(bytes.length)]));
}

async function addVerified(
  file: FileHandle,
  { digest, size }: Descriptor,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await file.write(headerOf(blobName(digest), size));
  const hash = createHash(algorithmOf(digest));
  let written = 0;
  for await (const chunk of chunks) {
    written += chunk.length;
    if (written > size) break;
    hash.update(chunk);
    await file.write(chunk);
  }
  if (written !== size)
    throw new TinkFailure(`the registry sent ${written} bytes of ${digest}, and the manifest names ${size}`);
  verify(digest, hash.digest('hex'));
  await file.write(paddingOf(size));
}

function hashOf(digest: Digest, chunks: readonly Uint8Array[]): string {
  const hash = createHash(algorithmOf(digest));
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

function verify(digest: Digest, actual: string): void {
  if (actual !== hexOf(digest))
    throw new TinkFailure(`what the registry sent for ${digest} has the digest ${actual}`);
}
