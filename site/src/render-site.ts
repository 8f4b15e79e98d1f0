import { htmlPathOf, type Documents } from './documents.ts';
import { navigationOf } from './navigation.ts';
import { pageBody } from './page-body.ts';
import { pageLayout } from './page-layout.ts';
import { parsePage } from './parse-page.ts';
import { INDEX_PATH, indexBody, indexPage } from './site-index.ts';
import { resolveLinks, type BrokenLink } from './resolve-links.ts';

export interface Site {
  /** Path in the site -> HTML. */
  readonly pages: ReadonlyMap<string, string>;
  /** Paths of images, the same in the repository and in the site. */
  readonly images: readonly string[];
  readonly linkCount: number;
  /** With any, the site is not complete. */
  readonly brokenLinks: readonly BrokenLink[];
}

/** Makes the pages of a site. The same documents give the same bytes. */
export function renderSite(documents: Documents): Site {
  const parsed = new Map([...documents.pages].map(([path, text]) => [path, parsePage(path, text)]));
  const navigation = navigationOf([...parsed.values()]);
  const siteName = parsed.get('README.md')?.title ?? 'Documents';
  const resolved = [...parsed.values()].map((page) => ({
    page,
    links: resolveLinks(page, parsed, documents),
  }));
  const pages = new Map(
    resolved.map(({ page, links }) => [
      htmlPathOf(page.path),
      pageLayout({ page, body: pageBody(page, links.hrefs), siteName, navigation }),
    ]),
  );
  const index = pageLayout({ page: indexPage, body: indexBody(navigation), siteName, navigation });
  return {
    pages: pages.set(INDEX_PATH, index),
    images: [...new Set(resolved.flatMap(({ links }) => links.images))].sort(),
    linkCount: resolved.flatMap(({ page }) => page.links).filter(({ token }) => token.type === 'link').length,
    brokenLinks: resolved.flatMap(({ links }) => links.broken),
  };
}
