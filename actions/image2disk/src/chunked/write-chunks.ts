/**
 * Writes a disk image from a registry. The disk itself says what is missing: a chunk that it has already, from an interrupted
 * write or an earlier version of the image, is not fetched again.
 */
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { ActionError, alignedBuffer, formatBytes, type RangeRequest } from '@tinkerbell/action-kit';
import { positionsOf, probePositions, type DiskImage, type PlacedChunk } from '@tinkerbell/images';
import { hexOf } from '@tinkerbell/oci';
import type { ChunkDisk } from './chunk-disk.ts';
import { fetchPart } from './fetch-part.ts';
import type { RegistryImage } from './registry-image.ts';

/** Chunks at once. Each takes up to four times its size of memory. */
const LANES = 4;
/** A chunk that was damaged on its way is fetched again. */
const FETCHES_MAX = 2;

const unpack = promisify(zstdDecompress);

export interface ChunkTotals {
  readonly fetchedBytes: number;
  readonly keptChunks: number;
  readonly chunks: number;
}

interface Work {
  readonly registry: RegistryImage;
  readonly disk: ChunkDisk;
  readonly request: Omit<RangeRequest, 'url'>;
  /** Called for each chunk that the disk has. */
  done(bytes: number): void;
}

/** @throws ActionError when a chunk cannot be fetched, is damaged, or cannot be written. */
export async function writeChunks(work: Work): Promise<ChunkTotals> {
  const { image } = work.registry;
  const mayKeep = await holdsAPart(work);
  const totals = { fetchedBytes: 0, keptChunks: 0, chunks: 0 };
  const failed = new AbortController();
  const signal = AbortSignal.any([work.request.signal, failed.signal]);
  const chunks = positionsOf(image);
  const lane = async (): Promise<void> => {
    const memory = alignedBuffer(image.chunkBytes);
    for (let next = chunks.next(); next.done !== true && !signal.aborted; next = chunks.next()) {
      const chunk = next.value;
      totals.chunks += 1;
      if (mayKeep && (await isOnDisk(work.disk, chunk, memory))) totals.keptChunks += 1;
      else {
        const fetched = await writeChunk({ ...work, request: { ...work.request, signal } }, chunk, memory);
        totals.fetchedBytes += fetched;
      }
      work.done(chunk.diskLength);
    }
  };
  const lanes = [zeroGaps(work), ...Array.from({ length: LANES }, lane)];
  const stopOthers = (error: unknown): never => {
    failed.abort();
    throw error;
  };
  const ends = await Promise.allSettled(lanes.map((one) => one.catch(stopOthers)));
  // The first one is the cause. The others were stopped by it.
  const causes = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (work.request.signal.aborted) throw new ActionError('writing the image was stopped at the timeout');
  if (causes.length > 0)
    throw causes.find((cause) => !/was stopped at the timeout/.test(String(cause))) ?? causes[0];
  return totals;
}

/** A disk with other content is not read as a whole. */
async function holdsAPart({ disk, registry }: Work): Promise<boolean> {
  const memory = alignedBuffer(registry.image.chunkBytes);
  for (const chunk of probePositions(registry.image)) if (await isOnDisk(disk, chunk, memory)) return true;
  return false;
}

async function isOnDisk(disk: ChunkDisk, chunk: PlacedChunk, memory: Buffer): Promise<boolean> {
  const bytes = await disk.read(memory, chunk.diskOffset, chunk.diskLength);
  return bytes.length === chunk.diskLength && (await sha256Of(bytes)) === hexOf(chunk.stored.digest);
}

/** Returns the bytes that were fetched. */
async function writeChunk(work: Work, chunk: PlacedChunk, memory: Buffer): Promise<number> {
  const { stored, diskOffset, diskLength } = chunk;
  const url = work.registry.packUrl(stored.pack);
  for (let fetches = 1; ; fetches += 1) {
    const packed = await fetchPart({ ...work.request, url }, stored);
    const bytes = await unpack(packed, { maxOutputLength: diskLength, chunkSize: diskLength + 64 }).catch(
      () => undefined,
    );
    if (bytes?.length === diskLength && (await sha256Of(bytes)) === hexOf(stored.digest)) {
      const aligned = memory.subarray(0, bytes.copy(memory));
      await work.disk.write(aligned, diskOffset);
      return packed.length * fetches;
    }
    if (fetches === FETCHES_MAX)
      throw new ActionError(
        `the chunk at ${formatBytes(diskOffset)} is damaged: ${url.pathname} from byte ${stored.offset} is not ${stored.digest}. Check the image with "tink image verify"`,
      );
  }
}

async function zeroGaps({ disk, registry: { image } }: Work): Promise<void> {
  for (const { offset, length } of gapsOf(image)) await disk.zeros(offset, length);
}

function* gapsOf({ runs, chunkBytes, diskBytes }: DiskImage): Generator<{ offset: number; length: number }> {
  let offset = 0;
  for (const { position, count } of runs) {
    if (position * chunkBytes > offset) yield { offset, length: position * chunkBytes - offset };
    offset = (position + count) * chunkBytes;
  }
  if (offset < diskBytes) yield { offset, length: diskBytes - offset };
}

/** On a worker thread, so that chunks are hashed beside each other. */
async function sha256Of(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');
}
