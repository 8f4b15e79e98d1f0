import type { DiskImage } from './disk-image.ts';

export interface DiskSizes {
  readonly diskBytes: number;
  /** The chunks with data, as they are on the disk. */
  readonly dataBytes: number;
  /** All packs. */
  readonly storedBytes: number;
  /** The part of the packs that this image needs. */
  readonly usedBytes: number;
}

export function sizesOf({ diskBytes, chunkBytes, packs, chunks, runs }: DiskImage): DiskSizes {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const dataBytes = Math.min(sum(runs.map(({ count }) => count)) * chunkBytes, diskBytes);
  const storedBytes = sum(packs.map(({ sizeBytes }) => sizeBytes));
  return { diskBytes, dataBytes, storedBytes, usedBytes: sum(chunks.map(({ length }) => length)) };
}

/** Returns the compressed bytes of the chunks of `image` that at least one of the others also has. */
export function sharedBytes(image: DiskImage, others: readonly DiskImage[]): number {
  const known = new Set(others.flatMap(({ chunks }) => chunks.map(({ digest }) => digest)));
  return image.chunks.reduce((sum, { digest, length }) => sum + (known.has(digest) ? length : 0), 0);
}
