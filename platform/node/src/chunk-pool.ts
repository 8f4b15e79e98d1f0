/**
 * Reuses memory. New memory for each chunk of a file costs more than the chunk: the kernel must find, clear and map its pages,
 * and none of them is in the processor's caches.
 */
export class ChunkPool {
  readonly #chunkBytes: number;
  readonly #keptMax: number;
  readonly #quietMax: number;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  /** Memory that is returned beyond `keptBytes` is left to the garbage collector. `quietBytes` stay after `trim`. */
  constructor(
    chunkBytes: number,
    { keptBytes, quietBytes }: { readonly keptBytes: number; readonly quietBytes: number },
  ) {
    this.#chunkBytes = chunkBytes;
    this.#keptMax = keptBytes / chunkBytes;
    this.#quietMax = quietBytes / chunkBytes;
  }

  /** The number of chunks that are kept. */
  get kept(): number {
    return this.#kept.length;
  }

  /** The bytes hold arbitrary earlier content. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#kept.pop() ?? new Uint8Array(new ArrayBuffer(this.#chunkBytes));
  }

  /** Call it only when nothing reads or writes the memory any more. */
  giveBack(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#kept.length < this.#keptMax) this.#kept.push(chunk);
  }

  /** Call it when nothing is sent. It returns the memory of most chunks at once, without waiting for a collection. */
  trim(): void {
    while (this.#kept.length > this.#quietMax) this.#kept.pop()?.buffer.transfer(0);
  }
}
