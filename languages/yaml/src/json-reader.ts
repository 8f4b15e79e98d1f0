/**
 * Parses JSON text piece by piece, under limits. `JSON.parse` reads pieces that take it a fraction of a
 * millisecond, and between them the caller may let other work run. Limits are checked on the text, before
 * values exist.
 */
export { isRecord } from './is-record.ts';
import { decodedString, JsonPiece, JsonSyntaxError } from './json-piece.ts';
import { closingQuote, completeLength } from './json-string.ts';
import { JsonWindow } from './json-window.ts';

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

/**
 * The limit for the text from one comma or bracket to the next where nothing of it is a value yet: a name, two white spaces, and a
 * string, list or object that is shorter than a piece. More is without a comma.
 */
const ITEM_CHARACTERS_MAX = 4 * UNMARKED_CHARACTERS_MAX;

/** Kubernetes limits names of fields that users choose, such as those of labels, to 317 characters. */
const NAME_CHARACTERS_MAX = 1024;

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** A text of this length is a few hundred values at most, and is parsed at once. */
const SHORT_CHARACTERS = 1024;

/**
 * Returns the value of `text` (RFC 8259, as `JSON.parse` reads it), and yields after each piece. Throws a SyntaxError, or a
 * JsonLimitError.
 */
export function* readJson(text: string, limits: JsonLimits): Generator<undefined, unknown> {
  const reader = new JsonReader(limits);
  yield* reader.push(text);
  return yield* reader.end();
}

/** Like `readJson`, without pauses. */
export function parseJson(text: string, limits: JsonLimits): unknown {
  const reading = readJson(text, limits);
  for (;;) {
    const next = reading.next();
    if (next.done === true) return next.value;
  }
}

/** A string of many pieces, which is decoded piece by piece. */
interface LongString {
  readonly place: (value: string) => void;
  /** Added up and not joined, so that nothing is copied before somebody reads the characters. */
  value: string;
}

/** Reads a text that arrives in parts, and keeps only the characters of values that are not complete. */
export class JsonReader {
  readonly #window = new JsonWindow();
  readonly #limits: JsonLimits;
  /** The whole text, as a list of one. */
  readonly #root = new JsonPiece({ isList: true, start: 0 });
  readonly #open: JsonPiece[] = [this.#root];
  /** Parts that are not in the window yet, because they are short. */
  #waiting = '';
  #at = 0;
  #pieceEnd = PIECE_CHARACTERS;
  #nodes = 1;
  /** The last quote, comma or bracket. */
  #marked = 0;
  /** The string that contains `#at`. */
  #long: LongString | undefined;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Reads the next part of the text, and yields after each piece. Throws as `readJson` does. */
  *push(part: string): Generator<undefined, void> {
    this.#waiting += part;
    if (this.#waiting.length >= PIECE_CHARACTERS) yield* this.#read();
  }

  /** Keeps the next part, and reads it later. Returns false for a part that `push` must read. */
  keep(part: string): boolean {
    if (this.#waiting.length + part.length >= PIECE_CHARACTERS) return false;
    this.#waiting += part;
    return true;
  }

  /** Returns the value after the last part of a short text. Returns undefined for any other, and for one that may be invalid. */
  shortValue(): unknown {
    const text = this.#waiting;
    if (this.#window.end > 0 || text.length > SHORT_CHARACTERS || !isWithin(text, this.#limits))
      return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // `end` names the fault.
      return undefined;
    }
  }

  /** Returns the value after the last part. Throws as `readJson` does. */
  *end(): Generator<undefined, unknown> {
    yield* this.#read();
    if (this.#at < this.#window.end || this.#long !== undefined)
      throw new JsonSyntaxError('a string without an end');
    this.#mark();
    if (this.#open.length > 1) throw new JsonSyntaxError('unexpected end of the text');
    return this.#root.only(this.#window);
  }

  /** Reads what has arrived, up to its end or to the start of a string whose end has not arrived. */
  *#read(): Generator<undefined, void> {
    this.#window.add(this.#waiting, this.#neededFrom());
    this.#waiting = '';
    const { text, base, end } = this.#window;
    if (this.#long !== undefined) {
      if (!(yield* this.#longString(this.#long))) return;
      this.#at += 1;
    }
    while (this.#at < end) {
      const code = text.charCodeAt(this.#at - base);
      if (code === QUOTE) {
        if (!(yield* this.#string())) return;
      } else this.#structural(code);
      this.#at += 1;
      if (this.#at < this.#pieceEnd || this.#at >= end) continue;
      this.#flush();
      const { start } = this.#top();
      if (this.#at - start > ITEM_CHARACTERS_MAX)
        throw new JsonSyntaxError(`a comma is missing after position ${start}`);
      yield undefined;
    }
    this.#limitUnmarked();
  }

  /** Items of a taken piece, and of what is open in it, are still text. */
  #neededFrom(): number {
    if (this.#long !== undefined) return this.#at;
    return (this.#open.findLast(({ isTaken }) => isTaken) ?? this.#root).start;
  }

  #structural(code: number): void {
    if (code === COMMA) this.#comma();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#opened(code === OPEN_LIST);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#closed(code === CLOSE_LIST);
  }

  /** White space and digits are counted between two marks, because counting each of them would slow down every text. */
  #mark(): void {
    this.#limitUnmarked();
    this.#marked = this.#at;
  }

  #limitUnmarked(): void {
    if (this.#at - this.#marked > UNMARKED_CHARACTERS_MAX)
      throw new JsonLimitError(
        `more than ${UNMARKED_CHARACTERS_MAX} characters of white space or of one number`,
      );
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
    top.comma(this.#window, this.#at);
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
      throw new JsonSyntaxError(`unexpected "${this.#window.charAt(this.#at)}" at position ${this.#at}`);
    this.#open.pop();
    piece.end(this.#window, this.#at);
    if (piece.isTaken) this.#top().skipTo(this.#at + 1);
  }

  /** Moves to the closing quote. Returns false if it has not arrived. */
  *#string(): Generator<undefined, boolean> {
    this.#mark();
    const start = this.#at;
    const { text, base } = this.#window;
    const found = closingQuote(text, start + 1 - base, start + PIECE_CHARACTERS + 1 - base);
    const length = (found === -1 ? text.length : found) + base - start;
    if (length > NAME_CHARACTERS_MAX && !this.#top().isItem(this.#window, start))
      throw new JsonLimitError(`a field name of more than ${NAME_CHARACTERS_MAX} characters`);
    if (length > PIECE_CHARACTERS) {
      this.#flush();
      this.#long = { place: this.#top().place(this.#window, start), value: '' };
      this.#at += 1;
      return yield* this.#longString(this.#long);
    }
    if (found === -1) return false;
    this.#at = this.#marked = found + base;
    return true;
  }

  /** Moves to the closing quote, and decodes what has arrived. Returns false if the quote has not arrived. */
  *#longString(long: LongString): Generator<undefined, boolean> {
    while (this.#at < this.#window.end) {
      const slice = this.#window.slice(this.#at, this.#at + PIECE_CHARACTERS);
      const quote = closingQuote(slice, 0, slice.length);
      const length = quote === -1 ? completeLength(slice) : quote;
      if (length === 0 && quote === -1) break;
      long.value += decodedString(slice.slice(0, length), this.#at);
      this.#at += length;
      yield undefined;
      if (quote === -1) continue;
      long.place(long.value);
      this.#long = undefined;
      this.#top().skipTo(this.#at + 1);
      this.#marked = this.#at;
      return true;
    }
    return false;
  }

  /** Converts the complete items to values, so that the rest is a separate piece. */
  #flush(): void {
    let parent: JsonPiece | undefined;
    for (const piece of this.#open) {
      if (parent !== undefined && !piece.isTaken) {
        parent.place(this.#window, piece.start - 1)(piece.container);
        piece.isTaken = true;
      }
      piece.flush(this.#window);
      parent = piece;
    }
    this.#pieceEnd = this.#at + PIECE_CHARACTERS;
  }
}

/** Returns true if the text cannot exceed the limits. Commas and brackets in strings count too. */
function isWithin(text: string, { nodes, depth, keys }: JsonLimits): boolean {
  let [commas, opened] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA) commas += 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) opened += 1;
  }
  return commas + opened < nodes && opened <= depth && commas < keys;
}
