import { escapeHtml } from './escape.ts';
import { hrefBetween, htmlPathOf } from './documents.ts';
import type { ParsedPage } from './parse-page.ts';

export interface NavigationGroup {
  readonly name: string;
  readonly pages: readonly ParsedPage[];
}

/** The first pattern that matches the path of a page decides. */
const groups: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Start', /^README\.md$|^docs\/[^/]+$/],
  ['Guides', /^docs\/guides\//],
  ['Reference', /^docs\/reference\//],
  ['Decisions', /^docs\/decisions\//],
  ['Internals', /^docs\/|^[^/]+$/],
  ['Examples', /^examples\//],
  ['Packages', /^/],
];

/** All pages by folder. The README of a group is its first page, and the others are in the order of their titles. */
export function navigationOf(pages: readonly ParsedPage[]): NavigationGroup[] {
  return groups.map(([name]) => ({
    name,
    pages: pages
      .filter(({ path }) => groups.find(([, pattern]) => pattern.test(path))?.[0] === name)
      .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1)),
  }));
}

/** The README of a group that is one folder. */
const FIRST_PAGES: readonly string[] = ['README.md', 'docs/decisions/README.md', 'examples/README.md'];

function sortKey({ path, title }: ParsedPage): string {
  return FIRST_PAGES.includes(path) ? '' : `${title.toLowerCase()} ${path}`;
}

/** The list of all pages, with the group of this page open. */
export function navigationHtml(navigation: readonly NavigationGroup[], current: string): string {
  return navigation
    .filter(({ pages }) => pages.length > 0)
    .map(({ name, pages }) => {
      const open = pages.some(({ path }) => path === current) ? ' open' : '';
      const links = pages.map((page) => `<li>${linkTo(page, current)}</li>`).join('\n');
      return `<details${open}><summary>${name}</summary>\n<ul>\n${links}\n</ul></details>`;
    })
    .join('\n');
}

function linkTo({ path, title }: ParsedPage, current: string): string {
  const href = escapeHtml(hrefBetween(htmlPathOf(current), htmlPathOf(path)));
  const mark = path === current ? ' aria-current="page"' : '';
  return `<a href="${href}"${mark}>${escapeHtml(title)}</a>`;
}
