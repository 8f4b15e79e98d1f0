/** Makes a disk image of chunks and sends what the server does not have. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import {
  chunkBytesFor,
  DiskImageBuilder,
  diskManifest,
  encodeDiskConfig,
  packBytesFor,
  type DiskImage,
} from '@tinkerbell/images';
import { mediaTypes, readDigest, type Digest } from '@tinkerbell/oci';
import type { Clock } from '@tinkerbell/platform-contract';
import type { SourceBlob } from '../image-source.ts';
import type { RegistrySession } from '../registry-session.ts';
import { DiskCutter, type DiskChunk } from './disk-chunks.ts';
import type { DiskSource } from './disk-source.ts';
import { PackFile } from './pack-file.ts';
import { PackLease } from './pack-lease.ts';

/** Chunks that are hashed and compressed at once, each with up to twice its size of memory. */
const WINDOW = 6;
/** zstd adds less than this to bytes that do not compress. */
const OVERHEAD_BYTES = 4096;
const compress = promisify(zstdCompress);

export interface AddedDisk {
  readonly digest: Digest;
  readonly image: DiskImage;
  readonly sentBytes: number;
}

export interface DiskTarget {
  readonly registry: RegistrySession;
  readonly repository: string;
  readonly reference: string;
  /** Images in the repository. */
  readonly earlier: readonly DiskImage[];
  readonly clock: Clock;
  /** Called with the bytes of the disk that were read. */
  progress(diskBytes: number): void;
}

export async function addDisk(source: DiskSource, target: DiskTarget): Promise<AddedDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'tink-packs-'));
  try {
    const chunkBytes = chunkBytesFor(source.diskBytes);
    const builder = new DiskImageBuilder(chunkBytes, target.earlier);
    await using lease = leaseOf(target);
    const packer = new Packer({ builder, folder, target, lease });
    const cutter = new DiskCutter(chunkBytes);
    const jobs: Promise<PreparedChunk>[] = [];
    for await (const chunk of cutter.chunks(source.parts)) {
      const job = prepare(chunk, builder);
      // A failure is thrown when it is this chunk's turn.
      job.catch(() => undefined);
      jobs.push(job);
      target.progress(cutter.diskBytes);
      if (jobs.length >= WINDOW) await packer.add(await jobs.shift());
    }
    for (const job of jobs) await packer.add(await job);
    await packer.finish();
    target.progress(cutter.diskBytes);
    const image = builder.finish(cutter.diskBytes);
    return { ...(await pushImage(image, target)), image, sentBytes: packer.sentBytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An earlier image may be deleted while its packs are becoming a part of this one. */
function leaseOf({ registry, repository, earlier, clock }: DiskTarget): PackLease {
  const lease = new PackLease({ clock, ask: (pack) => registry.hasBlob(repository, pack) });
  for (const { packs } of earlier) for (const { digest } of packs) lease.keep(digest);
  return lease;
}

interface PreparedChunk {
  readonly position: number;
  readonly digest: Digest;
  /** Undefined for a chunk that is stored already. */
  readonly packed: Uint8Array | undefined;
}

async function prepare(
  { position, bytes, release }: DiskChunk,
  builder: DiskImageBuilder,
): Promise<PreparedChunk> {
  const hash = await crypto.subtle.digest('SHA-256', bytes);
  const digest = readDigest(`sha256:${Buffer.from(hash).toString('hex')}`);
  const packed = builder.has(digest)
    ? undefined
    : await compress(bytes, { chunkSize: bytes.length + OVERHEAD_BYTES });
  release();
  return { position, digest, packed };
}

interface PackerParts {
  readonly builder: DiskImageBuilder;
  readonly folder: string;
  readonly target: DiskTarget;
  readonly lease: PackLease;
}

class Packer {
  readonly #parts: PackerParts;
  #pack: PackFile | undefined;
  #packs = 0;
  #sending: Promise<void> = Promise.resolve();
  sentBytes = 0;

  constructor(parts: PackerParts) {
    this.#parts = parts;
  }

  /** Adds the next chunk of the disk. One pack is sent while the next one is filled. */
  async add(chunk: PreparedChunk | undefined): Promise<void> {
    if (chunk === undefined) return;
    const { position, digest, packed } = chunk;
    const { builder, folder } = this.#parts;
    if (packed !== undefined && !builder.has(digest)) {
      this.#pack ??= await PackFile.create(join(folder, `pack-${this.#packs}`));
      builder.fill(digest, { offset: await this.#pack.append(packed), length: packed.length });
    }
    builder.place(position, digest);
    if ((this.#pack?.sizeBytes ?? 0) >= packBytesFor(this.#packs)) await this.#complete();
  }

  async finish(): Promise<void> {
    await this.#complete();
    await this.#sending;
  }

  async #complete(): Promise<void> {
    const pack = this.#pack;
    if (pack === undefined) return;
    this.#pack = undefined;
    this.#packs += 1;
    const blob = await pack.complete();
    this.#parts.builder.complete(blob);
    await this.#sending;
    this.#sending = this.#send(pack, blob);
    // Thrown where it is awaited.
    this.#sending.catch(() => undefined);
  }

  async #send(pack: PackFile, blob: SourceBlob): Promise<void> {
    const { registry, repository } = this.#parts.target;
    if (await registry.pushBlob(repository, blob)) this.sentBytes += blob.sizeBytes;
    this.#parts.lease.keep(blob.digest);
    await pack.remove();
  }
}

async function pushImage(
  image: DiskImage,
  { registry, repository, reference }: DiskTarget,
): Promise<{ digest: Digest }> {
  const config = blobOf(encodeDiskConfig(image));
  await registry.pushBlob(repository, config);
  const manifest = blobOf(diskManifest(image, config));
  await registry.pushManifest(repository, reference, {
    digest: manifest.digest,
    mediaType: mediaTypes.imageManifest,
    bytes: manifest.bytes,
  });
  return { digest: manifest.digest };
}

function blobOf(text: string): SourceBlob & { readonly bytes: Uint8Array } {
  const bytes = new TextEncoder().encode(text);
  const digest = readDigest(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  return { bytes, digest, sizeBytes: bytes.length, chunks };
}
