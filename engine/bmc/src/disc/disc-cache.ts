/** The parts of disc images that were read last, of all machines together. */

/** What this process holds of images. Each machine reads its own one, mostly from the begin to the end. */
const BYTES_MAX = 32 * 1024 * 1024;

export class DiscCache {
  readonly #bytesMax: number;
  /** The one that was used last is at the end. */
  readonly #parts = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get(key: string): Uint8Array | undefined {
    const found = this.#parts.get(key);
    if (found !== undefined) {
      this.#parts.delete(key);
      this.#parts.set(key, found);
    }
    return found;
  }

  add(key: string, part: Uint8Array): void {
    this.#remove(key);
    this.#parts.set(key, part);
    this.#bytes += part.length;
    for (const oldest of this.#parts.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#parts.get(key)?.length ?? 0;
    this.#parts.delete(key);
  }
}
