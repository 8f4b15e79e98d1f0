import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { anchorsOf } from './anchors.ts';

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

export interface PageLink {
  readonly token: Tokens.Link | Tokens.Image;
  /** Counts from 1. */
  readonly line: number;
}

export interface ParsedPage {
  readonly path: string;
  /** The first heading of the first level, or the folder of the page. */
  readonly title: string;
  readonly hasTitle: boolean;
  readonly headings: ReadonlyMap<Token, Heading>;
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly PageLink[];
  readonly tokens: readonly Token[];
}

const marked = new Marked();

/** Reads a page of Markdown as GitHub does. `path` is relative to the root of the repository. */
export function parsePage(path: string, text: string): ParsedPage {
  const tokens = marked.lexer(text);
  const found = tokensIn(tokens).filter(isHeading);
  const texts = found.map(({ tokens: inline }) => textOf(inline));
  const anchors = anchorsOf(texts);
  const headings = new Map(
    found.map((token, index): [Token, Heading] => [
      token,
      { depth: token.depth, text: texts[index] ?? '', anchor: anchors[index] ?? '' },
    ]),
  );
  const title = [...headings.values()].find(({ depth }) => depth === 1)?.text;
  return {
    path,
    title: title ?? posix.dirname(path),
    hasTitle: title !== undefined,
    headings,
    anchors: new Set(anchors),
    links: linksIn(tokens),
    tokens,
  };
}

/** These tokens and all within them, in the order of the text. */
function tokensIn(tokens: readonly Token[]): Token[] {
  const all: Token[] = [];
  void marked.walkTokens([...tokens], (token) => {
    all.push(token);
  });
  return all;
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function isLink(token: Token): token is Tokens.Link | Tokens.Image {
  return token.type === 'link' || token.type === 'image';
}

/** The words of a heading, without marks, images and raw HTML. */
function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'image' || token.type === 'html') return '';
      if ('tokens' in token && token.tokens !== undefined) return textOf(token.tokens);
      return 'text' in token && typeof token.text === 'string' ? token.text : '';
    })
    .join('');
}

/** The blocks of a page are its text, cut, so lines can be counted. Only a link over two lines of a list has the line of the link before. */
function linksIn(blocks: readonly Token[]): PageLink[] {
  const links: PageLink[] = [];
  let firstLine = 1;
  for (const block of blocks) {
    let from = 0;
    for (const token of tokensIn([block]).filter(isLink)) {
      const at = block.raw.indexOf(token.raw, from);
      if (at >= 0) from = at + 1;
      links.push({ token, line: firstLine + newlinesIn(block.raw.slice(0, from)) });
    }
    firstLine += newlinesIn(block.raw);
  }
  return links;
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}
