export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Every start tag of a page, read as the tokenizer of a browser reads it (WHATWG HTML, 13.2.5): `<` and a letter open a tag, and a
 * quoted value ends at its quote. Only comments and the insides of scripts are not treated apart, so it finds at least what a browser does.
 */
export function elementsOf(html: string): Element[] {
  const tag = /<([a-z][^\s/>]*)((?:[^>"'=]|=\s*"[^"]*"|=\s*'[^']*'|=|["'])*)(>|$)/gi;
  return [...html.matchAll(tag)].map(([, name = '', attributes = '']) => ({
    name: name.toLowerCase(),
    attributes: attributesOf(attributes),
  }));
}

function attributesOf(text: string): Map<string, string> {
  const attribute = /([^\s/=>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;
  return new Map(
    [...text.matchAll(attribute)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? ''),
    ]),
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  colon: ':',
  tab: '\t',
  newline: '\n',
};

function decoded(value: string): string {
  return value.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));?/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return character(Number.parseInt(hex, 16));
      if (decimal !== undefined) return character(Number(decimal));
      return entities[name?.toLowerCase() ?? ''] ?? all;
    },
  );
}

function character(code: number): string {
  return code <= 0x10_ffff ? String.fromCodePoint(code) : '';
}
