/**
 * Memory that is used again. New memory for each chunk of a file costs more than the chunk: the kernel has to find, clear and
 * map its pages, and the processor's caches know none of it.
 */
export class ChunkPool {
  readonly #chunkBytes: number;
  readonly #keptMax: number;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  /** What is given back beyond `keptBytes` is left to the collector. */
  constructor(chunkBytes: number, keptBytes: number) {
    this.#chunkBytes = chunkBytes;
    this.#keptMax = keptBytes / chunkBytes;
  }

  /** Its bytes are whatever was there before. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#kept.pop() ?? new Uint8Array(new ArrayBuffer(this.#chunkBytes));
  }

  /** Only when nothing reads or writes it any more. */
  giveBack(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#kept.length < this.#keptMax) this.#kept.push(chunk);
  }
}
