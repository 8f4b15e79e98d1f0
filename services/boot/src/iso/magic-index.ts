import { IsoMagicSearch } from '@tinkerbell/netboot';

/** Where the magic is in an image that is still being read, and how far that is known. Found once for all requests. */
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

  /** The next bytes of the image. They can be read from its file already. */
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

  /** Waits until byte `at` is there and it is known whether it belongs to a magic; the end of what is known so, exclusive. */
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
