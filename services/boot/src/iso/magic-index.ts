import { IsoMagicSearch } from '@tinkerbell/netboot';

/**
 * Records where the magic is in an image that is still being read, and how far the image was searched. All requests share one
 * search.
 */
export class IsoIndex {
  readonly #search: IsoMagicSearch;
  readonly #waiting = new Set<() => void>();
  #state: 'growing' | 'whole' | Error = 'growing';
  #sizeBytes = 0;

  constructor(magic: Uint8Array) {
    this.#search = new IsoMagicSearch(magic);
  }

  get offsets(): readonly number[] {
    return this.#search.offsets;
  }

  get isGrowing(): boolean {
    return this.#state === 'growing';
  }

  get failure(): Error | undefined {
    return this.#state instanceof Error ? this.#state : undefined;
  }

  /** Adds the next bytes of the image. They can already be read from its file. */
  push(chunk: Uint8Array): void {
    this.#search.push(chunk);
    this.#sizeBytes += chunk.length;
    this.#wake();
  }

  end(): void {
    this.#state = 'whole';
    this.#wake();
  }

  fail(error: Error): void {
    this.#state = error;
    this.#wake();
  }

  /**
   * Waits until byte `at` is available and it is known whether it belongs to a magic. Returns the exclusive end of what is known.
   */
  async settledBeyond(at: number, signal?: AbortSignal): Promise<number> {
    while (this.#state === 'growing' && this.#search.settledBytes <= at) {
      signal?.throwIfAborted();
      await this.#change(signal);
    }
    if (this.#state instanceof Error) throw this.#state;
    return this.#state === 'whole' ? this.#sizeBytes : this.#search.settledBytes;
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}
