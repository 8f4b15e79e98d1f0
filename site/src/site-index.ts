/**
 * The page that lists every heading and every term of the site, so that the find of the browser searches all pages without a script.
 * A term is code that starts a row of a table: a flag, a metric, a variable.
 */
import type { Token, Tokens } from 'marked';
import { escapeHtml } from './escape.ts';
import { hrefBetween, htmlPathOf } from './documents.ts';
import type { NavigationGroup } from './navigation.ts';
import type { ParsedPage } from './parse-page.ts';

/** The layout draws it as it draws documents. No document may have its path. */
export const indexPage: ParsedPage = {
  path: 'all-headings.md',
  title: 'Index',
  hasTitle: true,
  headings: new Map(),
  anchors: new Set(),
  links: [],
  tokens: [],
};
export const INDEX_PATH = htmlPathOf(indexPage.path);

interface Entry {
  readonly text: string;
  readonly isCode: boolean;
  readonly page: ParsedPage;
  /** Of the heading, or of the section with the table. Empty: the top of the page. */
  readonly anchor: string;
}

/** Everything inside `main` of the index. */
export function indexBody(navigation: readonly NavigationGroup[]): string {
  const pages = navigation.flatMap((group) => group.pages);
  return [
    `<h1>${indexPage.title}</h1>`,
    '<p>Every heading and every term of all pages. Search this page with the find of your browser (<code>Ctrl</code>+<code>F</code>).</p>',
    '<p><a href="#index:pages">By page</a>, <a href="#index:terms">by term</a></p>',
    '<h2 id="index:pages">By page</h2>',
    ...navigation.filter((group) => group.pages.length > 0).map(groupHtml),
    '<h2 id="index:terms">By term</h2>',
    termsHtml(pages.flatMap(entriesOf)),
    '',
  ].join('\n');
}

function groupHtml({ name, pages }: NavigationGroup): string {
  return `<h3>${escapeHtml(name)}</h3>\n<ul>\n${pages.map(pageHtml).join('')}</ul>`;
}

function pageHtml(page: ParsedPage): string {
  const below = [...page.headings.values()].filter(({ depth }) => depth > 1);
  const links = below.map(({ text, anchor }) => linkTo({ text, page, anchor })).join(', ');
  const title = linkTo({ text: page.title, page, anchor: '' });
  return `<li><strong>${title}</strong>${links === '' ? '' : `<br>${links}`}</li>\n`;
}

/** Pages of one text are one row, in the order of the navigation. */
function termsHtml(entries: readonly Entry[]): string {
  const rows = [...Map.groupBy(entries, ({ text, isCode }) => `${isCode ? '`' : ''}${text}`).values()];
  const sorted = rows.flatMap((row) => row.slice(0, 1).map((first) => ({ first, row })));
  sorted.sort((one, other) => compared(keyOf(one.first), keyOf(other.first)));
  return `<ul>\n${sorted.map(({ first, row }) => termHtml(first, row)).join('')}</ul>`;
}

function termHtml({ text, isCode }: Entry, row: readonly Entry[]): string {
  const shown = isCode ? `<code>${escapeHtml(text)}</code>` : escapeHtml(text);
  const places = row.map(({ page, anchor }) => linkTo({ text: page.title, page, anchor }));
  return `<li>${shown}: ${[...new Set(places)].join(', ')}</li>\n`;
}

/** Letters decide, and not the dashes of a flag or the case. */
function keyOf({ text }: Entry): string {
  return `${text.toLowerCase().replace(/^[^\p{L}\p{Nd}]+/u, '')} ${text}`;
}

/** By code points, so that the order is the same on every machine. */
function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function entriesOf(page: ParsedPage): Entry[] {
  const entries: Entry[] = [];
  let anchor = '';
  for (const token of page.tokens) {
    const heading = page.headings.get(token);
    if (heading !== undefined) {
      anchor = heading.depth === 1 ? '' : heading.anchor;
      entries.push({ text: heading.text, isCode: false, page, anchor });
    }
    if (isTable(token)) for (const text of termsOf(token)) entries.push({ text, isCode: true, page, anchor });
  }
  return entries;
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

/** The code that the first cells of the rows consist of: `a`, or `a`, `b`. */
function termsOf({ rows }: Tokens.Table): string[] {
  return rows.flatMap(([cell]) => {
    const tokens = cell?.tokens ?? [];
    const codes = tokens.filter((token): token is Tokens.Codespan => token.type === 'codespan');
    return tokens[0]?.type === 'codespan' ? codes.map(({ text }) => text) : [];
  });
}

function linkTo({ text, page, anchor }: Pick<Entry, 'text' | 'page' | 'anchor'>): string {
  const href =
    hrefBetween(INDEX_PATH, htmlPathOf(page.path)) + (anchor === '' ? '' : `#${encodeURIComponent(anchor)}`);
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}
