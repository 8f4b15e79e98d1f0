/** Reads the XML of an answer (XML 1.0): elements, attributes, text, CDATA and the five predefined entities. Linear in the text. */
import { DecodeError, decoded, type Decoded } from '@tinkerbell/wire';
import type { XmlElement } from './xml-element.ts';

/** Answers of AMT have some 10 levels and, for a whole class, some hundred elements. */
const DEPTH_MAX = 32;
const ELEMENTS_MAX = 10_000;

interface Open {
  readonly rawName: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  readonly text: string[];
}

const ATTRIBUTE = /\s+([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG = /<(\/?)([A-Za-z_][\w:.-]*)/y;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Returns the root element. Errors: `document-type` (entities of a document type can grow without limit), `too-deep` (over 32 levels),
 * `too-many-elements` (over 10,000) and `not-xml`. The caller limits the bytes.
 */
export function parseXml(text: string): Decoded<XmlElement> {
  return decoded(() => new XmlReader(text).read());
}

class XmlReader {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  #elements = 0;
  #root: XmlElement | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): XmlElement {
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf('<', this.#at);
      this.#characters(next === -1 ? this.#text.length : next);
      if (next !== -1) this.#markup();
    }
    if (this.#root === undefined || this.#open.length > 0)
      throw this.#failure('not-xml', 'an element is not closed');
    return this.#root;
  }

  #characters(end: number): void {
    const raw = this.#text.slice(this.#at, end);
    // trim() removes a byte order mark as well.
    if (raw.trim() !== '') this.#addCharacters(this.#unescaped(raw));
    this.#at = end;
  }

  #markup(): void {
    const rest = this.#text.slice(this.#at, this.#at + 9);
    if (rest.startsWith('<?')) this.#skip('?>');
    else if (rest.startsWith('<!--')) this.#skip('-->');
    else if (rest === '<![CDATA[') this.#addCharacters(this.#skip(']]>').slice(9));
    else if (rest.startsWith('<!')) throw this.#failure('document-type', 'must not have a document type');
    else this.#tag();
  }

  #addCharacters(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) throw this.#failure('not-xml', 'text outside of an element');
    element.text.push(text);
  }

  /** Returns what was skipped, without its end. */
  #skip(end: string): string {
    const found = this.#text.indexOf(end, this.#at);
    if (found === -1) throw this.#failure('not-xml', `${end} is missing`);
    const skipped = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return skipped;
  }

  #tag(): void {
    TAG.lastIndex = this.#at;
    const [tag, slash, rawName = ''] = TAG.exec(this.#text) ?? [];
    if (tag === undefined) throw this.#failure('not-xml', 'a tag has no name');
    this.#at += tag.length;
    const attributes = this.#attributes();
    const [, selfClosing] = this.#match(/\s*(\/?)>/y) ?? [];
    if (selfClosing === undefined) throw this.#failure('not-xml', `the tag ${rawName} does not end`);
    if (slash === '/') return this.#close(rawName);
    this.#begin(rawName, attributes);
    if (selfClosing === '/') this.#close(rawName);
  }

  #attributes(): Readonly<Record<string, string>> {
    const attributes: [string, string][] = [];
    for (let found = this.#match(ATTRIBUTE); found !== undefined; found = this.#match(ATTRIBUTE))
      attributes.push([localName(found[1] ?? ''), this.#unescaped(found[2] ?? found[3] ?? '')]);
    return Object.fromEntries(attributes);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #begin(rawName: string, attributes: Readonly<Record<string, string>>): void {
    this.#elements += 1;
    if (this.#root !== undefined) throw this.#failure('not-xml', 'there are two root elements');
    if (this.#open.length >= DEPTH_MAX) throw this.#failure('too-deep', `more than ${DEPTH_MAX} levels`);
    if (this.#elements > ELEMENTS_MAX)
      throw this.#failure('too-many-elements', `more than ${ELEMENTS_MAX} elements`);
    this.#open.push({ rawName, name: localName(rawName), attributes, children: [], text: [] });
  }

  #close(rawName: string): void {
    const open = this.#open.pop();
    if (open?.rawName !== rawName) throw this.#failure('not-xml', `</${rawName}> closes nothing`);
    const { name, attributes, children, text } = open;
    const element = { name, attributes, children, text: text.join('').trim() };
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = element;
    else parent.children.push(element);
  }

  #unescaped(raw: string): string {
    return raw.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{1,8});?/gi, (whole, name: string) => {
      const character = name.startsWith('#') ? fromCodePoint(name.slice(1)) : ENTITIES[name];
      if (character === undefined || !whole.endsWith(';'))
        throw this.#failure('not-xml', `${whole} is not a character`);
      return character;
    });
  }

  #failure(code: string, detail: string): DecodeError {
    return new DecodeError({ code, offset: this.#at, field: 'XML' }, detail);
  }
}

function fromCodePoint(digits: string): string | undefined {
  const code = digits.toLowerCase().startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : undefined;
}

/** `p:PowerState` is `PowerState`. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
