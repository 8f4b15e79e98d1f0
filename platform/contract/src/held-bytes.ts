/**
 * Memory that is held for readers who have not taken it yet, with one limit for all of them. A chunk that several readers
 * wait for is counted once. Above the limit those that have not moved for the longest time are cut off.
 */
export class HeldBytes {
  readonly #bytesMax: number;
  readonly #holders = new Map<Uint8Array, number>();
  /** Readers for whom something is held; the one that has moved least recently comes first. */
  readonly #readers = new Set<HeldFor>();
  readonly #book: Book = {
    add: (chunk) => this.#add(chunk),
    addBytes: (bytes) => void (this.#bytes += bytes),
    remove: (chunk) => this.#remove(chunk),
    moved: (reader, isHolding) => {
      this.#readers.delete(reader);
      if (isHolding) this.#readers.add(reader);
    },
    enter: (reader) => {
      this.#readers.add(reader);
      this.#cutSlowest();
    },
  };
  #bytes = 0;
  #cuts = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** A reader. `cut` is called at most once, with nothing held for it any more; it ends the reader. */
  reader(cut: () => void): HeldFor {
    return new HeldFor(this.#book, cut);
  }

  /** Held in all. */
  bytes(): number {
    return this.#bytes;
  }

  /** Readers that were cut off since the start. */
  cuts(): number {
    return this.#cuts;
  }

  #add(chunk: Uint8Array): void {
    const count = this.#holders.get(chunk) ?? 0;
    if (count === 0) this.#bytes += chunk.length;
    this.#holders.set(chunk, count + 1);
  }

  #remove(chunk: Uint8Array): void {
    const count = this.#holders.get(chunk) ?? 0;
    if (count > 1) {
      this.#holders.set(chunk, count - 1);
      return;
    }
    if (this.#holders.delete(chunk)) this.#bytes -= chunk.length;
  }

  #cutSlowest(): void {
    for (const reader of this.#readers) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#readers.delete(reader);
      this.#cuts += 1;
      reader.cut();
    }
  }
}

interface Book {
  add(chunk: Uint8Array): void;
  addBytes(bytes: number): void;
  remove(chunk: Uint8Array): void;
  moved(reader: HeldFor, isHolding: boolean): void;
  enter(reader: HeldFor): void;
}

/** What is held for one reader. */
export class HeldFor {
  readonly #book: Book;
  readonly #cut: () => void;
  readonly #chunks = new Set<Uint8Array>();
  #bytes = 0;
  #ownBytes = 0;
  #isOver = false;

  constructor(book: Book, cut: () => void) {
    this.#book = book;
    this.#cut = cut;
  }

  /** Of this reader alone. */
  bytes(): number {
    return this.#bytes;
  }

  /** May cut off this reader or others. The length of the chunk must not change until it is released. */
  hold(chunk: Uint8Array): void {
    if (this.#isOver || this.#chunks.has(chunk)) return;
    this.#chunks.add(chunk);
    this.#bytes += chunk.length;
    this.#book.add(chunk);
    this.#book.enter(this);
  }

  /** Counts bytes that somebody else holds for this reader, until its end. */
  holdSize(bytes: number): void {
    if (this.#isOver) return;
    this.#bytes += bytes;
    this.#ownBytes += bytes;
    this.#book.addBytes(bytes);
    this.#book.enter(this);
  }

  /** The reader has taken part of a chunk: others are slower now. */
  moved(): void {
    if (!this.#isOver) this.#book.moved(this, this.#bytes > 0);
  }

  /** The reader has taken a chunk. */
  release(chunk: Uint8Array): void {
    if (!this.#chunks.delete(chunk)) return;
    this.#bytes -= chunk.length;
    this.#book.remove(chunk);
    this.#book.moved(this, this.#bytes > 0);
  }

  /** Releases everything. Nothing is held from then on. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const chunk of this.#chunks) this.#book.remove(chunk);
    this.#book.addBytes(-this.#ownBytes);
    this.#chunks.clear();
    this.#bytes = 0;
    this.#book.moved(this, false);
  }

  /** Called by the limit. */
  cut(): void {
    if (this.#isOver) return;
    this.end();
    this.#cut();
  }
}
