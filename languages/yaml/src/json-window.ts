/** The part of a text that is still needed, of a text that arrives in pieces. Positions count from the start of the whole text. */
export class JsonWindow {
  #text = '';
  #base = 0;

  /** The characters from `base` to `end`. */
  get text(): string {
    return this.#text;
  }

  get base(): number {
    return this.#base;
  }

  /** The number of characters of the whole text that have arrived. */
  get end(): number {
    return this.#base + this.#text.length;
  }

  /** Adds the next characters, and drops those before `from`. */
  add(next: string, from: number): void {
    this.#text = this.#text.slice(from - this.#base) + next;
    this.#base = from;
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base);
  }

  charAt(at: number): string {
    return this.#text.charAt(at - this.#base);
  }
}
