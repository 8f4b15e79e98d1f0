import type { Token } from 'marked';
import { hrefBetween, htmlPathOf, type Documents } from './documents.ts';
import { linkTarget, type LinkTarget } from './link-target.ts';
import type { PageLink, ParsedPage } from './parse-page.ts';

export interface BrokenLink {
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  readonly link: string;
  readonly why: string;
}

export interface ResolvedLinks {
  /** The address of each link and image. One that leads to a source file, without a repository, has none and becomes plain text. */
  readonly hrefs: ReadonlyMap<Token, string>;
  readonly images: readonly string[];
  readonly broken: readonly BrokenLink[];
}

const IMAGE = /\.(png|svg|jpe?g|gif|webp|avif)$/i;

/** Addresses of all links of a page. `pages` are all pages, whose anchors are checked. */
export function resolveLinks(
  page: ParsedPage,
  pages: ReadonlyMap<string, ParsedPage>,
  documents: Documents,
): ResolvedLinks {
  const hrefs = new Map<Token, string>();
  const images: string[] = [];
  const broken: BrokenLink[] = [];
  for (const { token, line } of page.links) {
    const target = checked({ token, line }, linkTarget(page.path, token.href, documents), pages);
    if (target.kind === 'broken') {
      broken.push({ path: page.path, line, link: token.href, why: target.why });
      continue;
    }
    const href = hrefOf(page.path, target, documents);
    if (href !== undefined) hrefs.set(token, href);
    // A link to an image opens the copy in the site.
    if (target.kind === 'file' && IMAGE.test(target.path)) images.push(target.path);
  }
  return { hrefs, images, broken };
}

/** Images come from the repository, so that a page asks no other host for anything. */
function checked(
  { token }: PageLink,
  target: LinkTarget,
  pages: ReadonlyMap<string, ParsedPage>,
): LinkTarget {
  if (target.kind === 'broken') return target;
  if (token.type === 'image' && !(target.kind === 'file' && IMAGE.test(target.path)))
    return { kind: 'broken', why: 'an image is a file of the repository: png, svg, jpg, gif, webp or avif' };
  if (target.kind !== 'page' || target.anchor === '') return target;
  const isThere = pages.get(target.path)?.anchors.has(target.anchor.slice(1)) ?? false;
  return isThere ? target : { kind: 'broken', why: `${target.path} has no heading ${target.anchor}` };
}

function hrefOf(
  from: string,
  target: Exclude<LinkTarget, { kind: 'broken' }>,
  documents: Documents,
): string | undefined {
  switch (target.kind) {
    case 'external':
      return target.url;
    case 'page':
      return hrefBetween(htmlPathOf(from), htmlPathOf(target.path)) + target.anchor;
    case 'file':
      if (IMAGE.test(target.path)) return hrefBetween(htmlPathOf(from), target.path);
      return inRepository('blob', target, documents);
    case 'folder':
      return inRepository('tree', target, documents);
  }
}

function inRepository(
  view: 'blob' | 'tree',
  { path, anchor }: { readonly path: string; readonly anchor: string },
  { repository }: Documents,
): string | undefined {
  return repository === undefined ? undefined : `${repository}/${view}/HEAD/${encodeURI(path)}${anchor}`;
}
