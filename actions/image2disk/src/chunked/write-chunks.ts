/**
 * Writes a disk image from a registry. The disk itself says what is missing: a chunk that it has already, from an interrupted
 * write or an earlier version of the image, is not fetched again.
 */
import { ActionError, formatBytes, type RangeRequest } from '@tinkerbell/action-kit';
import {
  packedPart,
  positionsOf,
  probePositions,
  stretchesOf,
  type DiskImage,
  type PlacedChunk,
  type Stretch,
} from '@tinkerbell/images';
import { hexOf } from '@tinkerbell/oci';
import type { ChunkDisk } from './chunk-disk.ts';
import { ChunkThreads, type Slot } from './chunk-threads.ts';
import { fetchPart } from './fetch-part.ts';
import type { RegistryImage } from './registry-image.ts';

/** Stretches at once: some arrive while others are unpacked and written. Each takes up to 4 MiB of memory. */
const LANES = 6;
/** A chunk that was damaged on its way is fetched again. */
const FETCHES_MAX = 2;

export interface ChunkTotals {
  readonly fetchedBytes: number;
  readonly keptChunks: number;
  readonly chunks: number;
}

interface Work {
  readonly registry: RegistryImage;
  readonly disk: ChunkDisk;
  readonly request: Omit<RangeRequest, 'url'>;
  /** Called for each stretch that the disk has. */
  done(bytes: number): void;
}

interface RunningWork extends Work {
  readonly threads: ChunkThreads;
}

/** @throws ActionError when a chunk cannot be fetched, is damaged, or cannot be written. */
export async function writeChunks(order: Work): Promise<ChunkTotals> {
  const { image } = order.registry;
  await using threads = new ChunkThreads(image, { slots: LANES });
  const failed = new AbortController();
  const signal = AbortSignal.any([order.request.signal, failed.signal]);
  const work = { ...order, threads, request: { ...order.request, signal } };
  const mayKeep = await holdsAPart(work);
  const totals = { fetchedBytes: 0, keptChunks: 0, chunks: 0 };
  const stretches = stretchesOf(positionsOf(image), image);
  const lane = async (slot: Slot): Promise<void> => {
    for (let next = stretches.next(); next.done !== true && !signal.aborted; next = stretches.next()) {
      const stretch = next.value;
      const missing = mayKeep ? await missingIn(work, stretch, slot) : stretch;
      totals.chunks += stretch.length;
      totals.keptChunks += stretch.length - missing.length;
      for (const part of stretchesOf(missing, image)) {
        const fetched = await writeStretch(work, part, slot);
        totals.fetchedBytes += fetched;
      }
      work.done(diskBytesOf(stretch));
    }
  };
  const stopOthers = (error: unknown): never => {
    failed.abort();
    throw error;
  };
  const lanes = [zeroGaps(work), ...threads.slots.map(lane)];
  const ends = await Promise.allSettled(lanes.map((one) => one.catch(stopOthers)));
  // The first one is the cause. The others were stopped by it.
  const causes = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (order.request.signal.aborted) throw new ActionError('writing the image was stopped at the timeout');
  if (causes.length > 0)
    throw causes.find((cause) => !/was stopped at the timeout/.test(String(cause))) ?? causes[0];
  return totals;
}

/** A disk with other content is not read as a whole. */
async function holdsAPart(work: RunningWork): Promise<boolean> {
  const probes = probePositions(work.registry.image).values();
  let found = false;
  const probe = async (slot: Slot): Promise<void> => {
    for (const chunk of probes) {
      if (!found && (await missingIn(work, [chunk], slot)).length === 0) found = true;
    }
  };
  await Promise.all(work.threads.slots.map(probe));
  return found;
}

/** Returns the chunks that the disk does not have. */
async function missingIn(
  { disk, threads }: RunningWork,
  stretch: Stretch,
  slot: Slot,
): Promise<readonly PlacedChunk[]> {
  const [{ diskOffset }] = stretch;
  const { length } = await disk.read(slot.disk, diskOffset, diskBytesOf(stretch));
  const found = stretch.filter((chunk) => chunk.diskOffset + chunk.diskLength - diskOffset <= length);
  const digests = await threads.digests(
    slot,
    found.map((chunk) => ({ start: chunk.diskOffset - diskOffset, length: chunk.diskLength })),
  );
  return stretch.filter(({ stored }, index) => digests[index] !== hexOf(stored.digest));
}

/** Returns the bytes that were fetched. */
async function writeStretch(work: RunningWork, stretch: Stretch, slot: Slot): Promise<number> {
  const [{ stored, diskOffset }] = stretch;
  const { offset, length } = packedPart(stretch);
  const url = work.registry.packUrl(stored.pack);
  for (let fetches = 1; ; fetches += 1) {
    await fetchPart({ ...work.request, url }, { offset, target: slot.packed.subarray(0, length) });
    const pieces = stretch.map((chunk) => ({
      packed: { start: chunk.stored.offset - offset, length: chunk.stored.length },
      start: chunk.diskOffset - diskOffset,
      length: chunk.diskLength,
    }));
    const digests = await work.threads.digests(slot, pieces);
    const damaged = stretch.find((chunk, index) => digests[index] !== hexOf(chunk.stored.digest));
    if (damaged === undefined) {
      const bytes = slot.disk.subarray(0, diskBytesOf(stretch));
      await work.disk.write(bytes, diskOffset, (range) => work.threads.zero(range));
      return length * fetches;
    }
    if (fetches === FETCHES_MAX)
      throw new ActionError(
        `the chunk at ${formatBytes(damaged.diskOffset)} is damaged: ${url.pathname} from byte ${damaged.stored.offset} is not ${damaged.stored.digest}. Check the image with "tink image verify"`,
      );
  }
}

async function zeroGaps({ disk, threads, registry: { image } }: RunningWork): Promise<void> {
  for (const gap of gapsOf(image)) await disk.zeros(gap, (range) => threads.zero(range));
}

function* gapsOf({ runs, chunkBytes, diskBytes }: DiskImage): Generator<{ offset: number; length: number }> {
  let offset = 0;
  for (const { position, count } of runs) {
    if (position * chunkBytes > offset) yield { offset, length: position * chunkBytes - offset };
    offset = (position + count) * chunkBytes;
  }
  if (offset < diskBytes) yield { offset, length: diskBytes - offset };
}

function diskBytesOf(stretch: Stretch): number {
  return stretch.reduce((sum, { diskLength }) => sum + diskLength, 0);
}
