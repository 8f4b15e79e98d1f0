/** More occurrences than any boot loader configuration has. A magic that is found more often is not a magic. */
const OFFSETS_MAX = 1_024;

/**
 * Finds every occurrence of the magic in a file that arrives in pieces of any size, in order. Occurrences do not overlap: the
 * first one wins. It uses Horspool's algorithm, which reads one byte in a thousand of a file without the magic.
 */
export class IsoMagicSearch {
  readonly #magic: Uint8Array;
  readonly #shifts: Uint32Array;
  readonly #offsets: number[] = [];
  #carry: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(magic: Uint8Array) {
    this.#magic = magic;
    this.#shifts = new Uint32Array(256).fill(magic.length);
    for (let index = 0; index < magic.length - 1; index += 1)
      this.#shifts[magic[index] ?? 0] = magic.length - 1 - index;
  }

  /** The offsets of the occurrences, ascending. */
  get offsets(): readonly number[] {
    return this.#offsets;
  }

  /** No unknown occurrence contains bytes before this one. */
  get settledBytes(): number {
    return this.#position - this.#carry.length;
  }

  /** @throws RangeError when the magic is there more than 1,024 times. */
  push(chunk: Uint8Array): void {
    const window = joined(this.#carry, chunk);
    const start = this.settledBytes;
    let from = 0;
    for (let at = this.#indexIn(window, from); at >= 0; at = this.#indexIn(window, from)) {
      if (this.#offsets.length === OFFSETS_MAX)
        throw new RangeError(`the magic is in the image more than ${OFFSETS_MAX} times`);
      this.#offsets.push(start + at);
      from = at + this.#magic.length;
    }
    this.#position += chunk.length;
    this.#carry = window.slice(Math.max(from, window.length - this.#magic.length + 1));
  }

  #indexIn(window: Uint8Array, from: number): number {
    const magic = this.#magic;
    const last = magic.length - 1;
    for (let end = from + last; end < window.length; end += this.#shifts[window[end] ?? 0] ?? 1) {
      let back = 0;
      while (back <= last && window[end - back] === magic[last - back]) back += 1;
      if (back > last) return end - last;
    }
    return -1;
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (head.length === 0) return tail;
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return both;
}
