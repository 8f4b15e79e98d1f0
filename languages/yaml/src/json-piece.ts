/**
 * A list or an object of a JSON text that is read in pieces: the values read so far, and the text that is not
 * read yet.
 */
import { isRecord } from './is-record.ts';

export class JsonSyntaxError extends SyntaxError {}

/** White space as in RFC 8259. */
const BLANK = /^[ \t\r\n]*$/;

type Container = unknown[] | Record<string, unknown>;

export class JsonPiece {
  readonly isList: boolean;
  readonly container: Container;
  /** The number of commas between its items so far. */
  commas = 0;
  /** True when its parent already contains it. Otherwise it is text of its parent. */
  isTaken = false;
  /** The start of its text that is not read yet. */
  #start: number;
  /** The last comma after `#start`. */
  #comma = -1;
  /** True when the item before `#start` was read separately, so that a comma or the end follows. */
  #isAfterItem = false;

  constructor({ isList, start }: { readonly isList: boolean; readonly start: number }) {
    this.isList = isList;
    this.container = isList ? [] : {};
    this.#start = start;
  }

  get start(): number {
    return this.#start;
  }

  comma(text: string, at: number): void {
    this.commas += 1;
    if (!this.#isAfterItem) {
      this.#comma = at;
      return;
    }
    this.#expectBlank(text, at);
    this.#isAfterItem = false;
    this.#start = at + 1;
  }

  /** Reads the items that are complete. */
  flush(text: string): void {
    if (this.#comma === -1) return;
    this.#add(text, this.#comma);
    this.#start = this.#comma + 1;
    this.#comma = -1;
  }

  /** Adds the item whose text begins at `at`. Everything before it has been flushed. */
  take(text: string, at: number, item: unknown): void {
    if (this.#isAfterItem) throw unexpected(this.#start);
    const { container } = this;
    if (Array.isArray(container)) {
      this.#expectBlank(text, at);
      container.push(item);
      return;
    }
    const [name, ...others] = Object.keys(parsedFields(`${text.slice(this.#start, at)}0`, this.#start));
    if (name === undefined || others.length > 0) throw unexpected(this.#start);
    set(container, name, item);
  }

  /** The text of an item that was read separately ends before `at`. */
  skipTo(at: number): void {
    this.#start = at;
    this.#comma = -1;
    this.#isAfterItem = true;
  }

  /** Reads the rest before its closing bracket. */
  end(text: string, at: number): void {
    if (!this.isTaken) return;
    this.flush(text);
    if (this.#isAfterItem) this.#expectBlank(text, at);
    else if (this.commas > 0 || !isBlank(text, this.#start, at)) this.#add(text, at);
  }

  /** The one value of the whole text. */
  only(text: string): unknown {
    if (!this.#isAfterItem) return JSON.parse(text) as unknown;
    this.#expectBlank(text, text.length);
    return Array.isArray(this.container) ? this.container[0] : undefined;
  }

  /** Returns true if the string that begins at `at` is an item, not the name of a field. */
  isItem(text: string, at: number): boolean {
    if (this.isList) return true;
    let before = at - 1;
    while (before > this.#start && isBlank(text, before, before + 1)) before -= 1;
    return text[before] === ':';
  }

  #add(text: string, end: number): void {
    const slice = text.slice(this.#start, end);
    const { container } = this;
    if (Array.isArray(container)) {
      const items = parsed(`[${slice}]`, this.#start);
      if (!Array.isArray(items) || items.length === 0) throw unexpected(this.#start);
      for (const item of items) container.push(item);
      return;
    }
    const fields = Object.entries(parsedFields(slice, this.#start));
    if (fields.length === 0) throw unexpected(this.#start);
    for (const [name, item] of fields) set(container, name, item);
  }

  #expectBlank(text: string, end: number): void {
    if (!isBlank(text, this.#start, end)) throw unexpected(this.#start);
  }
}

/** Returns the string between two quotes, decoded slice by slice. Yields after each. */
export function* parsedString(
  text: string,
  { start, end, each }: { readonly start: number; readonly end: number; readonly each: number },
): Generator<undefined, string> {
  // Added up and not joined, so that nothing is copied before somebody reads the characters.
  let value = '';
  for (let from = start + 1; from < end; yield undefined) {
    const to = Math.min(end, from + each);
    const cut = to === end ? end : beforeEscape(text, from, to);
    value += String(parsed(`"${text.slice(from, cut)}"`, from));
    from = cut;
  }
  return value;
}

/** The longest escape is `\u0000`. */
const ESCAPE_CHARACTERS = 6;

/** Returns `to`, or the start of the escape that it would cut in two. */
function beforeEscape(text: string, from: number, to: number): number {
  for (let at = to - 1; at >= Math.max(from, to - ESCAPE_CHARACTERS); at -= 1)
    if (text[at] === '\\') return isEscaped(text, at) ? at - 1 : at;
  return to;
}

/** Returns true if an odd number of backslashes precedes `at`. */
export function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function isBlank(text: string, start: number, end: number): boolean {
  return start >= end || BLANK.test(text.slice(start, end));
}

/** Treats a field named `__proto__` like any other, as `JSON.parse` does. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  else target[name] = value;
}

/** The object of the text between its braces. */
function parsedFields(text: string, at: number): object {
  const fields = parsed(`{${text}}`, at);
  if (!isRecord(fields)) throw unexpected(at);
  return fields;
}

function parsed(text: string, at: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const fault = message.replace(/ in JSON at position .*$| at position .*$/s, '');
    throw new JsonSyntaxError(`${fault}, after position ${at}`);
  }
}

function unexpected(at: number): JsonSyntaxError {
  return new JsonSyntaxError(`a value is missing or a character is unexpected after position ${at}`);
}
