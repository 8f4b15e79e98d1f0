/** Texts longer than this belong to one client, such as tokens. */
const LENGTH_MAX = 64;
const TEXTS_MAX = 1000;

/** Keeps one copy of texts that many connections repeat, such as names of headers. */
export class TextPool {
  readonly #texts = new Map<string, string>();

  /** The number of texts that it keeps. */
  get size(): number {
    return this.#texts.size;
  }

  /** Returns an equal text. */
  shared(text: string): string {
    if (text.length > LENGTH_MAX) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    // Clients that invent texts must not fill the memory.
    if (this.#texts.size < TEXTS_MAX) this.#texts.set(text, text);
    return text;
  }
}
