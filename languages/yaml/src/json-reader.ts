/**
 * Parses JSON text piece by piece, under limits. `JSON.parse` reads pieces that take it a fraction of a
 * millisecond, and between them the caller may let other work run. Limits are checked on the text, before
 * values exist.
 */
export { isRecord } from './is-record.ts';
import { isEscaped, JsonPiece, JsonSyntaxError, parsedString } from './json-piece.ts';

export interface JsonLimits {
  /** The number of values, including lists, objects and the values in them. */
  readonly nodes: number;
  /** The nesting of lists and objects. */
  readonly depth: number;
  /** The fields of one object. */
  readonly keys: number;
}

/** The text is JSON and exceeds a limit. */
export class JsonLimitError extends Error {}

/** The characters that are parsed without a pause: 1 ms if all of it is fields. */
const PIECE_CHARACTERS = 16 * 1024;

/** The limit for white space and digits in a row, because they are one value, which is parsed without a pause. */
const UNMARKED_CHARACTERS_MAX = 64 * 1024;

/** Kubernetes limits names of fields that users choose, such as those of labels, to 317 characters. */
const NAME_CHARACTERS_MAX = 1024;

/** The escaped quotes of one string that are skipped without a pause. */
const QUOTES_EACH = 5000;

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Returns the value of `text` (RFC 8259, as `JSON.parse` reads it), and yields after each piece. Throws a SyntaxError, or a
 * JsonLimitError.
 */
export function* readJson(text: string, limits: JsonLimits): Generator<undefined, unknown> {
  return yield* new JsonReader(text, limits).read();
}

/** Like `readJson`, without pauses. */
export function parseJson(text: string, limits: JsonLimits): unknown {
  const reading = readJson(text, limits);
  for (;;) {
    const next = reading.next();
    if (next.done === true) return next.value;
  }
}

class JsonReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  /** The whole text, as a list of one. */
  readonly #root = new JsonPiece({ isList: true, start: 0 });
  readonly #open: JsonPiece[] = [this.#root];
  #at = 0;
  #pieceEnd = PIECE_CHARACTERS;
  #nodes = 1;
  /** The last quote, comma or bracket. */
  #marked = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  *read(): Generator<undefined, unknown> {
    const { length } = this.#text;
    while (this.#at < length) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) {
        this.#mark();
        yield* this.#string();
        this.#marked = this.#at;
      } else this.#structural(code);
      this.#at += 1;
      if (this.#at < this.#pieceEnd || this.#at >= length) continue;
      this.#flush();
      yield undefined;
    }
    this.#mark();
    if (this.#open.length > 1) throw new JsonSyntaxError('unexpected end of the text');
    return this.#root.only(this.#text);
  }

  #structural(code: number): void {
    if (code === COMMA) this.#comma();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#opened(code === OPEN_LIST);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#closed(code === CLOSE_LIST);
  }

  /** White space and digits are counted between two marks, because counting each of them would slow down every text. */
  #mark(): void {
    if (this.#at - this.#marked > UNMARKED_CHARACTERS_MAX)
      throw new JsonLimitError(
        `more than ${UNMARKED_CHARACTERS_MAX} characters of white space or of one number`,
      );
    this.#marked = this.#at;
  }

  #top(): JsonPiece {
    return this.#open.at(-1) ?? this.#root;
  }

  #count(limit: keyof JsonLimits, count: number): void {
    if (count <= this.#limits[limit]) return;
    const words = { nodes: 'values', depth: 'levels of nesting', keys: 'fields in one object' };
    throw new JsonLimitError(`more than ${this.#limits[limit]} ${words[limit]}`);
  }

  #comma(): void {
    this.#mark();
    const top = this.#top();
    if (top === this.#root) throw new JsonSyntaxError(`unexpected "," at position ${this.#at}`);
    this.#count('nodes', ++this.#nodes);
    top.comma(this.#text, this.#at);
    if (!top.isList) this.#count('keys', top.commas + 1);
  }

  #opened(isList: boolean): void {
    this.#mark();
    this.#count('nodes', ++this.#nodes);
    this.#open.push(new JsonPiece({ isList, start: this.#at + 1 }));
    this.#count('depth', this.#open.length - 1);
  }

  #closed(isList: boolean): void {
    this.#mark();
    const piece = this.#top();
    if (piece === this.#root || piece.isList !== isList)
      throw new JsonSyntaxError(`unexpected "${this.#text[this.#at] ?? ''}" at position ${this.#at}`);
    this.#open.pop();
    piece.end(this.#text, this.#at);
    if (piece.isTaken) this.#top().skipTo(this.#at + 1);
  }

  /** Moves to the closing quote. A string of many pieces is decoded separately. */
  *#string(): Generator<undefined, void> {
    const start = this.#at;
    let end = start;
    for (let quotes = 1; ; quotes++) {
      end = this.#text.indexOf('"', end + 1);
      if (end === -1) throw new JsonSyntaxError('a string without an end');
      if (!isEscaped(this.#text, end)) break;
      if (quotes % QUOTES_EACH === 0) yield undefined;
    }
    this.#at = end;
    if (end - start <= NAME_CHARACTERS_MAX) return;
    if (!this.#top().isItem(this.#text, start))
      throw new JsonLimitError(`a field name of more than ${NAME_CHARACTERS_MAX} characters`);
    if (end - start <= PIECE_CHARACTERS) return;
    this.#flush();
    const value = yield* parsedString(this.#text, { start, end, each: PIECE_CHARACTERS });
    this.#top().take(this.#text, start, value);
    this.#top().skipTo(end + 1);
  }

  /** Converts the complete items to values, so that the rest is a separate piece. */
  #flush(): void {
    let parent: JsonPiece | undefined;
    for (const piece of this.#open) {
      if (parent !== undefined && !piece.isTaken) {
        parent.take(this.#text, piece.start - 1, piece.container);
        piece.isTaken = true;
      }
      piece.flush(this.#text);
      parent = piece;
    }
    this.#pieceEnd = this.#at + PIECE_CHARACTERS;
  }
}
