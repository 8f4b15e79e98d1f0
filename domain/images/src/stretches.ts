import { OVERHEAD_BYTES_MAX, type PlacedChunk } from './disk-image.ts';

/** One or more chunks that are neighbours on the disk and in their pack, so that one request and one write move all of them. */
export type Stretch = readonly [PlacedChunk, ...PlacedChunk[]];

/** On the disk. Large enough that requests cost little, and small enough that several of them are in memory. */
const STRETCH_BYTES = 2 * 1024 * 1024;

/** Returns the room that a stretch needs: on the disk, and in its pack. */
export function stretchRoom({ chunkBytes }: { readonly chunkBytes: number }): {
  readonly diskBytes: number;
  readonly packedBytes: number;
} {
  const diskBytes = Math.max(STRETCH_BYTES, chunkBytes);
  return { diskBytes, packedBytes: diskBytes + OVERHEAD_BYTES_MAX };
}

/** In a pack. A smaller part costs a server more for the request than for its bytes, and each lane of an agent has room for one. */
const REQUEST_BYTES = 4 * 1024 * 1024;

/** Returns the most bytes of a pack that one request asks for. A stretch always fits. */
export function requestBytesMax(image: { readonly chunkBytes: number }): number {
  return Math.max(REQUEST_BYTES, stretchRoom(image).packedBytes);
}

/** Whether `next` begins where `stretch` ends in its pack. There may be a gap between them on the disk. */
export function followsInPack(stretch: Stretch, [next]: Stretch): boolean {
  const { stored } = stretch.at(-1) ?? stretch[0];
  return next.stored.pack === stored.pack && next.stored.offset === stored.offset + stored.length;
}

/** Cuts chunks, in the order of the disk, into stretches that fit into `stretchRoom`. A single chunk always fits. */
export function* stretchesOf(
  chunks: Iterable<PlacedChunk>,
  image: { readonly chunkBytes: number },
): Generator<Stretch, void> {
  const room = stretchRoom(image);
  let open: [PlacedChunk, ...PlacedChunk[]] | undefined;
  for (const chunk of chunks) {
    if (open !== undefined && joins(open, chunk, room)) {
      open.push(chunk);
      continue;
    }
    if (open !== undefined) yield open;
    open = [chunk];
  }
  if (open !== undefined) yield open;
}

/** The bytes of a stretch in its pack. */
export function packedPart(stretch: Stretch): { readonly offset: number; readonly length: number } {
  const [first] = stretch;
  const { stored } = stretch.at(-1) ?? first;
  return { offset: first.stored.offset, length: stored.offset + stored.length - first.stored.offset };
}

function joins(
  open: Stretch,
  chunk: PlacedChunk,
  room: { readonly diskBytes: number; readonly packedBytes: number },
): boolean {
  const [first] = open;
  const last = open.at(-1) ?? first;
  const { stored } = chunk;
  return (
    chunk.diskOffset === last.diskOffset + last.diskLength &&
    stored.pack === last.stored.pack &&
    stored.offset === last.stored.offset + last.stored.length &&
    chunk.diskOffset + chunk.diskLength - first.diskOffset <= room.diskBytes &&
    stored.offset + stored.length - first.stored.offset <= room.packedBytes
  );
}
