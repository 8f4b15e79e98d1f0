/** Blobs by their digest, and which repository has which. */
import type { Digest } from '@tinkerbell/oci';
import type { Clock, OwnedTree } from '@tinkerbell/platform-contract';
import type { Holds } from './holds.ts';
import { blobPath, layerPath } from './layout.ts';
import type { Space } from './space.ts';

export interface BlobStoreParts {
  readonly tree: OwnedTree;
  readonly clock: Clock;
  readonly holds: Holds;
  readonly space: Space;
  /** Garbage collection keeps what a client has pushed or found in this time, because it may push a manifest next. */
  readonly graceMs: number;
}

export interface StoredBlob {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

const EMPTY = new Uint8Array();

export class BlobStore {
  readonly #parts: BlobStoreParts;
  /** Two uploads of one blob end one after the other. */
  readonly #adopting = new Map<Digest, Promise<void>>();

  constructor(parts: BlobStoreParts) {
    this.#parts = parts;
  }

  /** Returns undefined for a blob that the repository does not have. The client may rely on it for `graceMs`. */
  async find(repository: string, digest: Digest): Promise<StoredBlob | undefined> {
    const { tree, clock, holds, graceMs } = this.#parts;
    using _held = await holds.hold([digest]);
    const path = layerPath(repository, digest);
    const link = await tree.stat(path);
    const blob = link && (await tree.stat(blobPath(digest)));
    if (link === undefined || blob === undefined) return undefined;
    if (clock.nowMs() - link.modifiedMs > graceMs / 4) await tree.touch(path);
    return blob;
  }

  /** Gives a repository a blob that another one has. Returns false when there is no such blob. */
  async mount(digest: Digest, { from, to }: { from: string | undefined; to: string }): Promise<boolean> {
    const { tree, holds } = this.#parts;
    using _held = await holds.hold([digest]);
    if (from !== undefined && (await tree.stat(layerPath(from, digest))) === undefined) return false;
    if ((await tree.stat(blobPath(digest))) === undefined) return false;
    await tree.write(layerPath(to, digest), EMPTY);
    return true;
  }

  /** Moves a verified file to its place. */
  async adopt(repository: string, digest: Digest, path: string): Promise<void> {
    await this.#inTurn(digest, async () => {
      const { tree, holds } = this.#parts;
      using _held = await holds.hold([digest]);
      await this.#place(digest, path);
      await tree.write(layerPath(repository, digest), EMPTY);
    });
  }

  /** Stores the bytes of a manifest, which no layer link names. The caller holds the digest. */
  async store(digest: Digest, bytes: Uint8Array): Promise<void> {
    await this.#inTurn(digest, async () => {
      const { tree, space } = this.#parts;
      if ((await tree.stat(blobPath(digest))) !== undefined) return;
      await space.require(bytes.length);
      await tree.write(blobPath(digest), bytes);
      space.changed(bytes.length);
    });
  }

  /** Returns false when the repository does not have it. The bytes stay until garbage collection. */
  async remove(repository: string, digest: Digest): Promise<boolean> {
    const { tree } = this.#parts;
    const path = layerPath(repository, digest);
    if ((await tree.stat(path)) === undefined) return false;
    await tree.remove(path);
    return true;
  }

  async #place(digest: Digest, path: string): Promise<void> {
    const { tree, space } = this.#parts;
    if ((await tree.stat(blobPath(digest))) !== undefined) return tree.remove(path);
    const size = (await tree.stat(path))?.sizeBytes ?? 0;
    await tree.move(path, blobPath(digest));
    space.changed(size);
  }

  async #inTurn(digest: Digest, act: () => Promise<void>): Promise<void> {
    const before = this.#adopting.get(digest) ?? Promise.resolve();
    const acting = before.then(act, act);
    this.#adopting.set(digest, acting);
    try {
      await acting;
    } finally {
      if (this.#adopting.get(digest) === acting) this.#adopting.delete(digest);
    }
  }
}
