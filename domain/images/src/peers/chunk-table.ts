import type { DiskImage, PlacedChunk } from '../disk-image.ts';
import { positionsOf } from '../positions.ts';
import { stretchesOf, type Stretch } from '../stretches.ts';
import { SHARED_CHUNKS_MAX } from './chunk-runs.ts';

/** The chunks with data by their number, and the stretches that they form. It takes a few bytes for each. */
export interface ChunkTable {
  readonly chunks: number;
  /** The number of the first chunk of each stretch, and at the end the number of chunks. */
  readonly starts: Uint32Array;
  chunkAt(number: number): PlacedChunk | undefined;
  /** The stretch of a chunk. */
  stretchOf(number: number): number | undefined;
  stretchAt(index: number): Stretch | undefined;
}

/** Returns undefined for an image with too many chunks. */
export function chunkTable(image: DiskImage): ChunkTable | undefined {
  const chunks = image.runs.reduce((sum, { count }) => sum + count, 0);
  if (chunks > SHARED_CHUNKS_MAX) return undefined;
  const starts = [0];
  for (const stretch of stretchesOf(positionsOf(image), image))
    starts.push((starts.at(-1) ?? 0) + stretch.length);
  const table = Uint32Array.from(starts);
  const chunkAt = finderIn(image);
  return {
    chunks,
    starts: table,
    chunkAt,
    stretchOf: (number) => (number >= 0 && number < chunks ? lastAtMost(table, number) : undefined),
    stretchAt(index) {
      const [start = 0, end = 0] = table.subarray(index, index + 2);
      const [first, ...more] = Array.from(
        { length: end - start },
        (_, at) => chunkAt(start + at) ?? [],
      ).flat();
      return first === undefined ? undefined : [first, ...more];
    },
  };
}

function finderIn(image: DiskImage): ChunkTable['chunkAt'] {
  const firsts = new Uint32Array(image.runs.length);
  let next = 0;
  for (const [index, { count }] of image.runs.entries()) {
    firsts[index] = next;
    next += count;
  }
  return (number) => {
    const index = lastAtMost(firsts, number);
    const run = image.runs[index];
    const within = number - (firsts[index] ?? 0);
    if (run === undefined || number < 0 || within >= run.count) return undefined;
    const stored = image.chunks[run.chunk + within];
    if (stored === undefined) return undefined;
    const position = run.position + within;
    const diskOffset = position * image.chunkBytes;
    const diskLength = Math.min(image.chunkBytes, image.diskBytes - diskOffset);
    return { position, diskOffset, diskLength, stored };
  };
}

function lastAtMost(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
