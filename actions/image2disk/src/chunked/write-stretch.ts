/** Brings stretches to the disk: from the server, or one from a peer. Nothing is written before its digests are right. */
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

export interface FromServer {
  /** What was fetched. */
  readonly bytes: number;
  /** How long it took. */
  readonly ms: number;
}

/**
 * Writes stretches that follow each other in their pack, by one request, each as soon as it has arrived. Calls `written` with the
 * number of each.
 */
export async function writeFromServer(
  parts: StretchParts,
  stretches: readonly [Stretch, ...Stretch[]],
  { slot, written }: { readonly slot: Slot; readonly written?: (index: number) => void },
): Promise<FromServer> {
  const { clock } = parts.request;
  const fetch = new StretchFetch(parts, stretches, slot);
  const startedMs = clock.monotonicMs();
  const whole = fetch.begin().then(() => clock.monotonicMs() - startedMs);
  // A failure is thrown where it is awaited.
  whole.catch(() => {});
  let bytes = fetch.bytes;
  for (const [index, stretch] of stretches.entries()) {
    await Promise.race([whole, fetch.arrived(index)]);
    bytes += await writeRight(parts, { stretch, fetch, slot, whole });
    written?.(index);
  }
  return { bytes, ms: await whole };
}

/** One request, and when which part of it has arrived. */
class StretchFetch {
  readonly #parts: StretchParts;
  readonly #slot: Slot;
  readonly #part: { readonly offset: number; readonly length: number };
  readonly #marks: readonly ({ readonly end: number } & PromiseWithResolvers<void>)[];
  readonly url: URL;

  constructor(parts: StretchParts, stretches: readonly [Stretch, ...Stretch[]], slot: Slot) {
    const [first, ...more] = stretches;
    this.#parts = parts;
    this.#slot = slot;
    this.#part = packedPart([...first, ...more.flat()]);
    this.url = parts.registry.packUrl(first[0].stored.pack);
    this.#marks = stretches.map((stretch) => ({
      end: this.#within(packedPart(stretch)).end,
      ...Promise.withResolvers<void>(),
    }));
  }

  get bytes(): number {
    return this.#part.length;
  }

  begin(): Promise<void> {
    let next = 0;
    return this.#fetch(this.#part, (bytes) => {
      for (; (this.#marks[next]?.end ?? Number.POSITIVE_INFINITY) <= bytes; next += 1)
        this.#marks[next]?.resolve();
    });
  }

  /** Does not reject. */
  arrived(index: number): Promise<void> {
    return this.#marks[index]?.promise ?? Promise.resolve();
  }

  /** Fetches one of the stretches once more. */
  again(stretch: Stretch): Promise<void> {
    return this.#fetch(packedPart(stretch));
  }

  /** Where each chunk is in the packed memory of the slot. */
  packed(stretch: Stretch): readonly NonNullable<Piece['packed']>[] {
    return stretch.map(({ stored }) => ({ start: this.#within(stored).start, length: stored.length }));
  }

  #within({ offset, length }: { readonly offset: number; readonly length: number }) {
    const start = offset - this.#part.offset;
    return { start, end: start + length };
  }

  async #fetch(
    part: { readonly offset: number; readonly length: number },
    filled?: (bytes: number) => void,
  ): Promise<void> {
    const { request, connections, sharing } = this.#parts;
    const { start, end } = this.#within(part);
    const target = this.#slot.packed.subarray(start, end);
    await fetchPart({ ...request, url: this.url }, { offset: part.offset, target, connections, filled });
    sharing?.received(part.length);
  }
}

interface ArrivedStretch {
  readonly stretch: Stretch;
  readonly fetch: StretchFetch;
  readonly slot: Slot;
  /** Resolves when everything has arrived. */
  readonly whole: Promise<unknown>;
}

/** Returns the bytes that were fetched once more. */
async function writeRight(
  parts: StretchParts,
  { stretch, fetch, slot, whole }: ArrivedStretch,
): Promise<number> {
  const packed = fetch.packed(stretch);
  for (let fetches = 1; ; fetches += 1) {
    const damaged = await writeIfRight(parts, { stretch, packed, slot });
    if (damaged === undefined) return packedPart(stretch).length * (fetches - 1);
    if (fetches === FETCHES_MAX)
      throw new ActionError(
        `the chunk at ${formatBytes(damaged.diskOffset)} is damaged: ${fetch.url.pathname} from byte ${damaged.stored.offset} is not ${damaged.stored.digest}. Check the image with "tink image verify"`,
      );
    await whole;
    await fetch.again(stretch);
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
  const sha256 = stretch.map(({ stored }) => hexOf(stored.digest));
  const digests = await disk.write((descriptors) =>
    threads.write(slot, { pieces, sha256, offset: diskOffset, ...descriptors }),
  );
  return stretch.find((_chunk, index) => digests[index] !== sha256[index]);
}

export function diskBytesOf(stretch: Stretch): number {
  return stretch.reduce((sum, { diskLength }) => sum + diskLength, 0);
}
