import { BLOCK_BYTES } from './header.ts';
import { TarError } from './tar-error.ts';

const EMPTY = new Uint8Array();

/** Reads a stream of chunks in blocks and bodies. It holds one chunk. */
export class BlockSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = EMPTY;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Up to `max` bytes, and at least one. Undefined at the end. */
  async some(max: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#chunk = next.value;
    }
    const taken = this.#chunk.subarray(0, max);
    this.#chunk = this.#chunk.subarray(taken.length);
    return taken;
  }

  /** Throws a TarError at the end of the stream. */
  async block(): Promise<Uint8Array> {
    const block = await this.blockOrEnd();
    if (block === undefined) throw new TarError('the archive ends within an entry');
    return block;
  }

  /** Undefined at the end of the stream. */
  async blockOrEnd(): Promise<Uint8Array | undefined> {
    const first = await this.some(BLOCK_BYTES);
    if (first === undefined || first.length === BLOCK_BYTES) return first;
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(first);
    await this.#fill(block, first.length);
    return block;
  }

  /** A body that is held in memory, with its padding. */
  async whole(size: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES);
    await this.#fill(bytes, 0);
    return bytes.subarray(0, size);
  }

  async #fill(bytes: Uint8Array, from: number): Promise<void> {
    let at = from;
    while (at < bytes.length) {
      const more = await this.some(bytes.length - at);
      if (more === undefined) throw new TarError('the archive ends within an entry');
      bytes.set(more, at);
      at += more.length;
    }
  }
}
