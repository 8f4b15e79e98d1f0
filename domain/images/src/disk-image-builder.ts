import type { Digest } from '@tinkerbell/oci';
import { PACKS_MAX, type DiskImage, type Pack, type Run, type StoredChunk } from './disk-image.ts';

/** An earlier image with more packs is packed anew, so that images do not gather packs that are mostly unused. */
const REUSED_PACKS_MAX = PACKS_MAX / 2;

/** `new`: in a pack that is not complete yet. */
interface Place extends Omit<StoredChunk, 'digest' | 'pack'> {
  readonly pack: Pack | 'new';
}

/**
 * Collects the chunks of a disk in order, and decides which ones must be stored. What an earlier image of the same repository
 * has is not stored again.
 */
export class DiskImageBuilder {
  readonly #chunkBytes: number;
  /** What lies in packs that the server has. */
  readonly #places = new Map<Digest, Place>();
  readonly #numbers = new Map<Digest, number>();
  readonly #runs: Run[] = [];

  constructor(chunkBytes: number, earlier: readonly DiskImage[] = []) {
    this.#chunkBytes = chunkBytes;
    const packs = new Set<Digest>();
    for (const image of earlier.filter((one) => one.chunkBytes === chunkBytes)) {
      const all = packs.union(new Set(image.packs.map(({ digest }) => digest)));
      if (all.size > REUSED_PACKS_MAX) continue;
      for (const digest of all) packs.add(digest);
      this.#know(image);
    }
  }

  /** Whether the chunk is stored already. */
  has(digest: Digest): boolean {
    return this.#places.has(digest);
  }

  /** Says that the chunk lies in the pack that is being filled. */
  fill(digest: Digest, place: { readonly offset: number; readonly length: number }): void {
    this.#places.set(digest, { ...place, pack: 'new' });
  }

  /** Says that the pack that was being filled is complete. */
  complete(pack: Pack): void {
    for (const [digest, place] of this.#places)
      if (place.pack === 'new') this.#places.set(digest, { ...place, pack });
  }

  /** Says what lies at a position of the disk. Positions increase. */
  place(position: number, digest: Digest): void {
    const chunk = this.#numbers.get(digest) ?? this.#numbers.size;
    this.#numbers.set(digest, chunk);
    const last = this.#runs.at(-1);
    const joins =
      last !== undefined && last.position + last.count === position && last.chunk + last.count === chunk;
    if (joins) this.#runs[this.#runs.length - 1] = { ...last, count: last.count + 1 };
    else this.#runs.push({ position, chunk, count: 1 });
  }

  /** Every placed chunk lies in a complete pack. */
  finish(diskBytes: number): DiskImage {
    const packs = new Map<Digest, { readonly pack: Pack; readonly number: number }>();
    const chunks: StoredChunk[] = [];
    for (const digest of this.#numbers.keys()) {
      const place = this.#places.get(digest);
      if (place === undefined || place.pack === 'new') throw new Error(`the chunk ${digest} is in no pack`);
      const { pack, offset, length } = place;
      const known = packs.get(pack.digest) ?? { pack, number: packs.size };
      packs.set(pack.digest, known);
      chunks.push({ digest, pack: known.number, offset, length });
    }
    return {
      diskBytes,
      chunkBytes: this.#chunkBytes,
      packs: [...packs.values()].map(({ pack }) => pack),
      chunks,
      runs: this.#runs,
    };
  }

  #know({ chunks, packs }: DiskImage): void {
    for (const { digest, pack: number, offset, length } of chunks) {
      const pack = packs[number];
      if (pack !== undefined && !this.#places.has(digest)) this.#places.set(digest, { pack, offset, length });
    }
  }
}
