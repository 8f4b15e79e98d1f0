/** The limits of what the registry stores. */
import type { Digest } from '@tinkerbell/oci';
import type { OwnedTree } from '@tinkerbell/platform-contract';
import { BLOBS, blobPath, digestOfFileName } from './layout.ts';
import type { RegistryMetrics } from './metrics.ts';
import { RegistryError } from './registry-error.ts';

/** The database of the server may be on the same disk. */
const LEFT_FREE_BYTES = 256 * 1024 * 1024;
/** The server is not ready before it has looked at every blob. */
const MEASURED_AT_ONCE = 64;
const ALGORITHMS = ['sha256', 'sha512'] as const;

export class Space {
  readonly #tree: OwnedTree;
  readonly #bytesMax: number | undefined;
  readonly #metrics: RegistryMetrics;
  #bytes = 0;

  constructor(
    tree: OwnedTree,
    { bytesMax, metrics }: { readonly bytesMax: number | undefined; readonly metrics: RegistryMetrics },
  ) {
    this.#tree = tree;
    this.#bytesMax = bytesMax;
    this.#metrics = metrics;
  }

  bytes(): number {
    return this.#bytes;
  }

  /** Counts what is stored. */
  async measure(): Promise<void> {
    let batch: Digest[] = [];
    const count = async (): Promise<void> => {
      const found = await Promise.all(batch.map((digest) => this.#tree.stat(blobPath(digest))));
      batch = [];
      this.changed(found.reduce((sum, blob) => sum + (blob?.sizeBytes ?? 0), 0));
    };
    for await (const digest of blobsIn(this.#tree)) {
      batch.push(digest);
      if (batch.length === MEASURED_AT_ONCE) await count();
    }
    await count();
  }

  changed(bytes: number): void {
    this.#bytes += bytes;
    this.#metrics.storedBytes.set({}, this.#bytes);
  }

  /**
   * Throws a RegistryError when `more` bytes have no place. `pending` bytes of the same upload are on the disk, and are not counted
   * yet.
   */
  async require(more: number, pending = 0): Promise<void> {
    const max = this.#bytesMax;
    if (max !== undefined && this.#bytes + pending + more > max)
      throw new RegistryError(
        'STORAGE_FULL',
        `the registry may store ${max} bytes, and has ${this.#bytes}; delete images and run "tink image gc", or raise --registry-max-bytes`,
      );
    const free = await this.#tree.freeBytes();
    if (more + LEFT_FREE_BYTES > free)
      throw new RegistryError(
        'STORAGE_FULL',
        `${more} bytes do not fit: the disk has ${free} bytes free, of which ${LEFT_FREE_BYTES} stay free; delete images and run "tink image gc"`,
      );
  }
}

export async function* blobsIn(tree: OwnedTree): AsyncGenerator<Digest> {
  for (const algorithm of ALGORITHMS)
    for (const { name: folder } of await tree.list(`${BLOBS}/${algorithm}`))
      for (const { name: hex } of await tree.list(`${BLOBS}/${algorithm}/${folder}`)) {
        const digest = digestOfFileName(`${algorithm}-${hex}`);
        if (digest !== undefined) yield digest;
      }
}
