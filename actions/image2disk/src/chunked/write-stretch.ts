/** Brings a stretch to the disk: from the server, or from a peer. Nothing is written before its digests are right. */
import { ActionError, formatBytes, type RangeRequest } from '@tinkerbell/action-kit';
import { packedPart, type KnownPeer, type PlacedChunk, type Stretch } from '@tinkerbell/images';
import { hexOf } from '@tinkerbell/oci';
import type { Sharing } from '../peers/sharing.ts';
import type { ChunkDisk } from './chunk-disk.ts';
import type { ChunkThreads, Slot } from './chunk-threads.ts';
import type { Piece } from './chunk-worker.ts';
import { fetchPart } from './fetch-part.ts';
import type { RangeConnections } from './range-connections.ts';
import type { RegistryImage } from './registry-image.ts';

/** A chunk that was damaged on its way is fetched again. */
const FETCHES_MAX = 2;
const BUSY = { kind: 'busy' } as const;

export interface StretchParts {
  readonly registry: RegistryImage;
  readonly disk: ChunkDisk;
  readonly request: Omit<RangeRequest, 'url'>;
  readonly threads: ChunkThreads;
  readonly connections: RangeConnections;
  readonly sharing?: Sharing | undefined;
}

/** Returns the bytes that were fetched. */
export async function writeFromServer(parts: StretchParts, stretch: Stretch, slot: Slot): Promise<number> {
  const [{ stored }] = stretch;
  const { offset, length } = packedPart(stretch);
  const url = parts.registry.packUrl(stored.pack);
  const packed = stretch.map((chunk) => ({
    start: chunk.stored.offset - offset,
    length: chunk.stored.length,
  }));
  for (let fetches = 1; ; fetches += 1) {
    const target = slot.packed.subarray(0, length);
    await fetchPart({ ...parts.request, url }, { offset, target, connections: parts.connections });
    parts.sharing?.received(length);
    const damaged = await writeIfRight(parts, { stretch, packed, slot });
    if (damaged === undefined) return length * fetches;
    if (fetches === FETCHES_MAX)
      throw new ActionError(
        `the chunk at ${formatBytes(damaged.diskOffset)} is damaged: ${url.pathname} from byte ${damaged.stored.offset} is not ${damaged.stored.digest}. Check the image with "tink image verify"`,
      );
  }
}

export type FromPeer =
  | { readonly kind: 'written'; readonly bytes: number }
  | { readonly kind: 'busy' }
  /** `isDamaged`: it sent a chunk whose digest is wrong. */
  | {
      readonly kind: 'wrong';
      readonly address: string;
      readonly reason: string;
      readonly isDamaged: boolean;
    };

interface PeerPart {
  readonly stretch: Stretch;
  /** Of the chunks, among those with data. */
  readonly numbers: readonly number[];
  readonly slot: Slot;
  readonly peer: KnownPeer;
}

export async function writeFromPeer(
  parts: StretchParts,
  { stretch, numbers, slot, peer }: PeerPart,
): Promise<FromPeer> {
  const { address } = peer;
  const packed: { start: number; length: number }[] = [];
  let start = 0;
  for (const [index, { diskLength }] of stretch.entries()) {
    const target = slot.packed.subarray(start);
    const number = numbers[index] ?? 0;
    const fetched = (await parts.sharing?.fetch(peer, { number, target, diskLength })) ?? BUSY;
    if (fetched.kind === 'busy') return fetched;
    if (fetched.kind === 'wrong') return { ...fetched, address, isDamaged: false };
    packed.push({ start, length: fetched.length });
    start += fetched.length;
  }
  const damaged = await writeIfRight(parts, { stretch, packed, slot });
  if (damaged === undefined) return { kind: 'written', bytes: start };
  const reason = `sent a damaged chunk instead of ${damaged.stored.digest}`;
  return { kind: 'wrong', address, reason, isDamaged: true };
}

interface Arrived {
  readonly stretch: Stretch;
  /** Where each chunk is in the packed memory of the slot. */
  readonly packed: readonly NonNullable<Piece['packed']>[];
  readonly slot: Slot;
}

/** Returns the first chunk that is damaged, and has not written then. */
async function writeIfRight(
  { disk, threads }: StretchParts,
  { stretch, packed, slot }: Arrived,
): Promise<PlacedChunk | undefined> {
  const [{ diskOffset }] = stretch;
  const pieces = stretch.map((chunk, index) => ({
    packed: packed[index] ?? { start: 0, length: 0 },
    start: chunk.diskOffset - diskOffset,
    length: chunk.diskLength,
  }));
  const digests = await threads.digests(slot, pieces);
  const damaged = stretch.find((chunk, index) => digests[index] !== hexOf(chunk.stored.digest));
  if (damaged !== undefined) return damaged;
  const bytes = slot.disk.subarray(0, diskBytesOf(stretch));
  await disk.write(bytes, diskOffset, (range) => threads.zero(range));
  return undefined;
}

export function diskBytesOf(stretch: Stretch): number {
  return stretch.reduce((sum, { diskLength }) => sum + diskLength, 0);
}
