/**
 * Reuses memory. New memory for each chunk of a file costs more than the chunk: the kernel must find, clear and map its pages,
 * and none of them is in the processor's caches.
 */
export class ChunkPool {
  readonly #chunkBytes: number;
  readonly #keptMax: number;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  /** Memory that is returned beyond `keptBytes` is left to the garbage collector. */
  constructor(chunkBytes: number, keptBytes: number) {
    this.#chunkBytes = chunkBytes;
    this.#keptMax = keptBytes / chunkBytes;
  }

  /** The bytes hold arbitrary earlier content. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#kept.pop() ?? new Uint8Array(new ArrayBuffer(this.#chunkBytes));
  }

  /** Call it only when nothing reads or writes the memory any more. */
  giveBack(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#kept.length < this.#keptMax) this.#kept.push(chunk);
  }
}
