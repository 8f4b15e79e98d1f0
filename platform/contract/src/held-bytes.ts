/**
 * Accounts for memory that is held for slow readers, with one limit for all of them. A chunk that several readers wait for counts
 * once. Above the limit, the readers that have not progressed for the longest time are cut off.
 */
export class HeldBytes {
  readonly #bytesMax: number;
  readonly #holders = new Map<Uint8Array, number>();
  /** The readers that something is held for, least recently active first. */
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

  /** A reader. `cut` ends the reader. It is called at most once, after everything held for the reader was released. */
  reader(cut: () => void): HeldFor {
    return new HeldFor(this.#book, cut);
  }

  /** Total bytes held. */
  bytes(): number {
    return this.#bytes;
  }

  /** The number of readers cut off since the start. */
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

/** The bytes held for one reader. */
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

  /** Bytes held for this reader alone. */
  bytes(): number {
    return this.#bytes;
  }

  /** Holds a chunk. This may cut off this reader or others. The length of the chunk must not change until it is released. */
  hold(chunk: Uint8Array): void {
    if (this.#isOver || this.#chunks.has(chunk)) return;
    this.#chunks.add(chunk);
    this.#bytes += chunk.length;
    this.#book.add(chunk);
    this.#book.enter(this);
  }

  /** Counts bytes that another component holds for this reader, until they are released or the reader ends. */
  holdSize(bytes: number): void {
    if (this.#isOver) return;
    this.#addOwn(bytes);
    this.#book.enter(this);
  }

  /** The reader has taken bytes that another component held. */
  releaseSize(bytes: number): void {
    if (this.#isOver) return;
    this.#addOwn(-bytes);
    this.#book.moved(this, this.#bytes > 0);
  }

  #addOwn(bytes: number): void {
    this.#bytes += bytes;
    this.#ownBytes += bytes;
    this.#book.addBytes(bytes);
  }

  /** The reader has taken part of a chunk, so other readers now rank as slower. */
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

  /** Releases everything. Nothing is held afterwards. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const chunk of this.#chunks) this.#book.remove(chunk);
    this.#book.addBytes(-this.#ownBytes);
    this.#chunks.clear();
    this.#bytes = 0;
    this.#book.moved(this, false);
  }

  /** The limit calls this to cut the reader off. */
  cut(): void {
    if (this.#isOver) return;
    this.end();
    this.#cut();
  }
}
