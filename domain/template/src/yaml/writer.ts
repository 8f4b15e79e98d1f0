import { byteLength } from '@tinkerbell/go-template';
import { compareYamlKeys } from './key-order.ts';
import { escapeCharacter, scalarStyle, type ScalarStyle } from './scalar.ts';

/**
 * Writes values as YAML the way sigs.k8s.io/yaml does (go-yaml v2): block style, two spaces, lists not indented inside
 * maps, keys in natural order, long text folded after column 80.
 */

/** A value to write. Numbers are already text. */
export type YamlValue =
  | { readonly kind: 'verbatim'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly YamlValue[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, YamlValue])[] };

const WIDTH = 80;
const INDENT = 2;
const SIMPLE_KEY_BYTES_MAX = 128;

/** Returns the document, ending in a line break. */
export function writeYaml(value: YamlValue): string {
  const writer = new Writer();
  writer.node(value, -INDENT, 'root');
  return `${writer.text}\n`;
}

const QUOTES: Readonly<Partial<Record<ScalarStyle, string>>> = { single: "'", double: '"' };

/** Block chomping indicator (YAML 1.2, section 8.1.1.2). */
function chompingOf(text: string): string {
  if (!text.endsWith('\n')) return '-';
  return text.endsWith('\n\n') || text === '\n' ? '+' : '';
}

class Writer {
  #parts: string[] = [];
  #column = 0;

  get text(): string {
    return this.#parts.join('');
  }

  /** Writes a value. `indent` is that of the collection around it. */
  node(value: YamlValue, indent: number, within: 'root' | 'list' | 'map'): void {
    switch (value.kind) {
      case 'verbatim':
        this.#put(this.#spaced(within) + value.text);
        return;
      case 'string':
        this.#string(value.text, indent, this.#spaced(within));
        return;
      case 'list':
        if (value.items.length === 0) this.#put(`${this.#spaced(within)}[]`);
        else this.#list(value.items, within === 'map' ? indent : indent + INDENT, within);
        return;
      default:
        if (value.entries.length === 0) this.#put(`${this.#spaced(within)}{}`);
        else this.#map(value.entries, indent + INDENT, within);
    }
  }

  #spaced(within: 'root' | 'list' | 'map'): string {
    return within === 'root' ? '' : ' ';
  }

  #list(items: readonly YamlValue[], indent: number, within: 'root' | 'list' | 'map'): void {
    items.forEach((item, i) => {
      this.#start(i === 0 ? within : 'map', indent, i === 0);
      this.#put('-');
      this.node(item, indent, 'list');
    });
  }

  #map(
    entries: readonly (readonly [string, YamlValue])[],
    indent: number,
    within: 'root' | 'list' | 'map',
  ): void {
    const sorted = [...entries].sort(([a], [b]) => compareYamlKeys(a, b));
    sorted.forEach(([key, value], i) => {
      this.#start(i === 0 ? within : 'map', indent, i === 0);
      const isSimple = this.#key(key, indent);
      this.node(value, indent, isSimple ? 'map' : 'list');
    });
  }

  /** The first entry of a collection inside a list is on the line of the dash. */
  #start(within: 'root' | 'list' | 'map', indent: number, isFirst: boolean): void {
    if (isFirst && within === 'list') this.#put(' ');
    else if (!isFirst || within === 'map') this.#newLine(indent);
  }

  /** Writes a key and its colon. Returns true if it was short enough for one line. */
  #key(key: string, indent: number): boolean {
    if (!key.includes('\n') && byteLength(key) <= SIMPLE_KEY_BYTES_MAX) {
      this.#scalar(key, scalarStyle(key), { indent: indent + INDENT, folds: false });
      this.#put(':');
      return true;
    }
    this.#put('?');
    this.#string(key, indent, ' ');
    this.#newLine(indent);
    this.#put(':');
    return false;
  }

  #string(text: string, indent: number, before: string): void {
    this.#put(before);
    const style = scalarStyle(text);
    const inner = Math.max(indent, 0) + INDENT;
    if (style === 'literal') this.#literal(text, inner);
    else this.#scalar(text, style, { indent: inner, folds: true });
  }

  #scalar(text: string, style: ScalarStyle, layout: { indent: number; folds: boolean }): void {
    const quote = QUOTES[style] ?? '';
    this.#put(quote);
    const characters = Array.from(text);
    characters.forEach((character, i) => {
      if (layout.folds && this.#breaksAt(characters, i, style)) {
        this.#newLine(layout.indent);
        if (style === 'double' && characters[i + 1] === ' ') this.#put('\\');
      } else if (style === 'double') this.#put(escapeCharacter(character));
      else this.#put(style === 'single' && character === "'" ? "''" : character);
    });
    this.#put(quote);
  }

  #breaksAt(characters: readonly string[], i: number, style: ScalarStyle): boolean {
    if (characters[i] !== ' ' || characters[i - 1] === ' ' || this.#column <= WIDTH) return false;
    if (style === 'double') return i > 0 && i < characters.length - 1;
    return i > 0 && i < characters.length - 1 && characters[i + 1] !== ' ';
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? String(INDENT) : '';
    this.#put(`|${hint}${chompingOf(text)}`);
    const lines = text.replace(/\n$/, '').split('\n');
    for (const line of lines) {
      if (line === '') this.#put('\n');
      else this.#newLine(indent);
      this.#put(line);
    }
  }

  #newLine(indent: number): void {
    this.#parts.push(`\n${' '.repeat(Math.max(indent, 0))}`);
    this.#column = Math.max(indent, 0);
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#column += Array.from(text).length;
  }
}
