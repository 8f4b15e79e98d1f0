/** Parses JSON text to values with their offset (RFC 8259). `JSON.parse` reports neither offsets nor repeated names. */
import { PatternFault } from './pattern-error.ts';

export type JsonScalar = string | number | boolean | null;

export interface JsonField {
  readonly name: string;
  readonly offset: number;
  readonly value: JsonNode;
}

export type JsonNode =
  | { readonly kind: 'object'; readonly offset: number; readonly fields: readonly JsonField[] }
  | { readonly kind: 'array'; readonly offset: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'scalar'; readonly offset: number; readonly value: JsonScalar };

/** The nesting of objects and arrays. A pattern for any real event needs six levels. */
export const DEPTH_MAX = 32;

const space = /[ \t\n\r]*/y;
const string = /"(?:[^"\\]|\\[^])*"/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/** Throws a PatternFault where the text is not one JSON value. */
export function readJson(text: string): JsonNode {
  const reader = new JsonReader(text);
  const node = reader.value('', 0);
  reader.end();
  return node;
}

class JsonReader {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(path: string, depth: number): JsonNode {
    this.#take(space);
    const offset = this.#offset;
    const first = this.#text[offset];
    if (first === '{' || first === '[') {
      if (depth === DEPTH_MAX)
        throw new PatternFault(path, offset, `at most ${DEPTH_MAX} levels are allowed`);
      this.#offset++;
      return first === '{'
        ? { kind: 'object', offset, fields: this.#fields(path, depth + 1) }
        : { kind: 'array', offset, items: this.#items(path, depth + 1) };
    }
    const scalar = this.#take(string) ?? this.#take(number) ?? this.#take(word);
    if (scalar === undefined) throw new PatternFault(path, offset, 'expected a JSON value');
    const value = decoded(scalar, path, offset);
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new PatternFault(path, offset, 'expected a number of at most 1.8e308');
    return { kind: 'scalar', offset, value };
  }

  end(): void {
    this.#take(space);
    if (this.#offset < this.#text.length)
      throw new PatternFault('', this.#offset, 'expected the end of the text');
  }

  #fields(path: string, depth: number): JsonField[] {
    const fields = new Map<string, JsonField>();
    if (this.#next('}')) return [];
    do {
      this.#take(space);
      const offset = this.#offset;
      const quoted = this.#take(string);
      if (quoted === undefined) throw new PatternFault(path, offset, 'expected a field name in quotes');
      const name = String(decoded(quoted, path, offset));
      const inner = path === '' ? name : `${path}.${name}`;
      if (fields.has(name)) throw new PatternFault(inner, offset, 'expected each field once');
      if (!this.#next(':')) throw new PatternFault(inner, this.#offset, 'expected ":"');
      fields.set(name, { name, offset, value: this.value(inner, depth) });
    } while (this.#next(','));
    if (!this.#next('}')) throw new PatternFault(path, this.#offset, 'expected "," or "}"');
    return [...fields.values()];
  }

  #items(path: string, depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    if (this.#next(']')) return items;
    do items.push(this.value(`${path}[${items.length}]`, depth));
    while (this.#next(','));
    if (!this.#next(']')) throw new PatternFault(path, this.#offset, 'expected "," or "]"');
    return items;
  }

  #next(character: string): boolean {
    this.#take(space);
    if (this.#text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#offset;
    const found = token.exec(this.#text)?.[0];
    this.#offset += found?.length ?? 0;
    return found;
  }
}

function decoded(token: string, path: string, offset: number): JsonScalar {
  const value = parsed(token);
  if (value === undefined)
    throw new PatternFault(
      path,
      offset,
      'expected a string without control characters and with JSON escapes',
    );
  return value;
}

function parsed(token: string): JsonScalar | undefined {
  try {
    const value: unknown = JSON.parse(token);
    return isScalar(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isScalar(value: unknown): value is JsonScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
