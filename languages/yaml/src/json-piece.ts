/**
 * A list or an object of a JSON text that is read in pieces: the values read so far, and the text that is not
 * read yet.
 */
import { isRecord } from './is-record.ts';
import type { JsonWindow } from './json-window.ts';

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

  comma(text: JsonWindow, at: number): void {
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
  flush(text: JsonWindow): void {
    if (this.#comma === -1) return;
    this.#add(text, this.#comma);
    this.#start = this.#comma + 1;
    this.#comma = -1;
  }

  /** Returns how to add the item whose text begins at `at`. Everything before it has been flushed. */
  place(text: JsonWindow, at: number): (item: unknown) => void {
    if (this.#isAfterItem) throw unexpected(this.#start);
    const { container } = this;
    if (Array.isArray(container)) {
      this.#expectBlank(text, at);
      return (item) => void container.push(item);
    }
    const [name, ...others] = Object.keys(parsedFields(`${text.slice(this.#start, at)}0`, this.#start));
    if (name === undefined || others.length > 0) throw unexpected(this.#start);
    return (item) => set(container, name, item);
  }

  /** The text of an item that was read separately ends before `at`. */
  skipTo(at: number): void {
    this.#start = at;
    this.#comma = -1;
    this.#isAfterItem = true;
  }

  /** Reads the rest before its closing bracket. */
  end(text: JsonWindow, at: number): void {
    if (!this.isTaken) return;
    this.flush(text);
    if (this.#isAfterItem) this.#expectBlank(text, at);
    else if (this.commas > 0 || !isBlank(text, this.#start, at)) this.#add(text, at);
  }

  /** The one value of the whole text. */
  only(text: JsonWindow): unknown {
    if (!this.#isAfterItem) return JSON.parse(text.slice(0, text.end)) as unknown;
    this.#expectBlank(text, text.end);
    return Array.isArray(this.container) ? this.container[0] : undefined;
  }

  /** Returns true if the string that begins at `at` is an item, not the name of a field. */
  isItem(text: JsonWindow, at: number): boolean {
    if (this.isList) return true;
    let before = at - 1;
    while (before > this.#start && isBlank(text, before, before + 1)) before -= 1;
    return text.charAt(before) === ':';
  }

  #add(text: JsonWindow, end: number): void {
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

  #expectBlank(text: JsonWindow, end: number): void {
    if (!isBlank(text, this.#start, end)) throw unexpected(this.#start);
  }
}

/** Returns the characters of a string, without its quotes, decoded. `at` is their position in the whole text. */
export function decodedString(characters: string, at: number): string {
  return String(parsed(`"${characters}"`, at));
}

function isBlank(text: JsonWindow, start: number, end: number): boolean {
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
