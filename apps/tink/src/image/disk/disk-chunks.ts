/** Cuts a disk into chunks, and leaves out those that are zeros. */
import type { ImagePart } from '@tinkerbell/qcow2';

export interface DiskChunk {
  readonly position: number;
  /** Valid until `release`. */
  readonly bytes: Buffer<ArrayBuffer>;
  readonly release: () => void;
}

export class DiskCutter {
  readonly #chunkBytes: number;
  readonly #zeros: Buffer;
  readonly #free: Buffer<ArrayBuffer>[] = [];
  #current: Buffer<ArrayBuffer> | undefined;
  #at = 0;

  constructor(chunkBytes: number) {
    this.#chunkBytes = chunkBytes;
    this.#zeros = Buffer.alloc(chunkBytes);
  }

  /** The bytes of the disk so far, with its zeros. */
  get diskBytes(): number {
    return this.#at;
  }

  async *chunks(parts: AsyncIterable<ImagePart>): AsyncGenerator<DiskChunk, void> {
    for await (const part of parts) {
      const length = part.kind === 'zeros' ? part.length : part.bytes.length;
      for (let done = 0; done < length;) {
        const start = this.#at % this.#chunkBytes;
        const taken = Math.min(length - done, this.#chunkBytes - start);
        if (part.kind === 'data')
          (this.#current ??= this.#taken(start)).set(part.bytes.subarray(done, done + taken), start);
        else this.#current?.fill(0, start, start + taken);
        done += taken;
        this.#at += taken;
        if (start + taken === this.#chunkBytes) yield* this.#ended(this.#chunkBytes);
      }
    }
    yield* this.#ended(this.#at % this.#chunkBytes);
  }

  *#ended(length: number): Generator<DiskChunk, void> {
    const buffer = this.#current;
    this.#current = undefined;
    if (buffer === undefined || length === 0) return;
    const release = (): void => void this.#free.push(buffer);
    const bytes = buffer.subarray(0, length);
    if (bytes[0] === 0 && bytes.equals(this.#zeros.subarray(0, length))) return release();
    yield { position: Math.floor((this.#at - 1) / this.#chunkBytes), bytes, release };
  }

  /** A buffer that begins with that many zeros. */
  #taken(zeros: number): Buffer<ArrayBuffer> {
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#chunkBytes);
    return buffer.fill(0, 0, zeros);
  }
}
