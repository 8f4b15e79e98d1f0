import { escapeHtml } from './escape.ts';
import { hrefBetween, htmlPathOf } from './documents.ts';
import { navigationHtml, type NavigationGroup } from './navigation.ts';
import { INDEX_PATH } from './site-index.ts';
import type { ParsedPage } from './parse-page.ts';

export interface PageParts {
  readonly page: ParsedPage;
  readonly body: string;
  readonly siteName: string;
  readonly navigation: readonly NavigationGroup[];
}

export const STYLE_PATH = 'style.css';

/** A second line of defence: whatever a page contains, a browser runs no script and asks no other host. */
const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** A whole page. Its own anchors have a colon, which those of headings never have. */
export function pageLayout({ page, body, siteName, navigation }: PageParts): string {
  const here = htmlPathOf(page.path);
  const title = page.title === siteName ? siteName : `${page.title} - ${siteName}`;
  const contents = contentsHtml(page);
  const hasContents = contents !== '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${hrefBetween(here, STYLE_PATH)}">
</head>
<body>
<header>
<a class="skip" href="#page:text">Skip to the text</a>
<a class="home" href="${hrefBetween(here, 'index.html')}">${escapeHtml(siteName)}</a>
<a href="${hrefBetween(here, INDEX_PATH)}"${here === INDEX_PATH ? ' aria-current="page"' : ''}>Index</a>
<a class="menu" href="#page:all">All pages</a>
</header>
<div class="columns">
<main id="page:text">
${hasContents ? `<details class="contents"><summary>On this page</summary>\n${contents}</details>\n` : ''}${body}</main>
${hasContents ? `<nav class="contents" aria-label="On this page"><p>On this page</p>\n${contents}</nav>\n` : ''}<nav class="pages" id="page:all" aria-label="All pages">
${navigationHtml(navigation, page.path)}
</nav>
</div>
</body>
</html>
`;
}

/** The headings of the second and third level, if there are several. */
function contentsHtml({ headings }: ParsedPage): string {
  const listed = [...headings.values()].filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 2) return '';
  const links = listed.map(
    ({ depth, text, anchor }) =>
      `<li class="level-${depth}"><a href="#${encodeURIComponent(anchor)}">${escapeHtml(text)}</a></li>\n`,
  );
  return `<ul>\n${links.join('')}</ul>`;
}
