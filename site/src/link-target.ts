import { posix } from 'node:path';
import type { Documents } from './documents.ts';

/** Where a link of a page leads. `anchor` is empty, or starts with `#`. */
export type LinkTarget =
  | { readonly kind: 'external'; readonly url: string }
  | { readonly kind: 'page' | 'file' | 'folder'; readonly path: string; readonly anchor: string }
  | { readonly kind: 'broken'; readonly why: string };

/** Finds the page, file or folder of the repository that a link of the page `from` means. A folder with a README is that page. */
export function linkTarget(from: string, link: string, documents: Documents): LinkTarget {
  if (/^(https?:\/\/|mailto:)/i.test(link)) return { kind: 'external', url: link };
  if (/^([a-z][a-z0-9+.-]*:|\/)/i.test(link))
    return broken('links are relative, or start with https://, http:// or mailto:');
  const [, file = '', anchor = ''] = /^([^#]*)(.*)$/s.exec(link) ?? [];
  const decoded = decode(file);
  if (decoded === undefined) return broken('its percent-encoding is invalid');
  const path =
    decoded === '' ? from : posix.normalize(posix.join(posix.dirname(from), decoded)).replace(/\/$/, '');
  if (documents.pages.has(path)) return { kind: 'page', path, anchor };
  const readme = posix.join(path, 'README.md');
  if (documents.pages.has(readme)) return { kind: 'page', path: readme, anchor };
  if (documents.files.has(path)) return { kind: 'file', path, anchor };
  if ([...documents.files].some((one) => one.startsWith(`${path}/`))) return { kind: 'folder', path, anchor };
  return broken(`the repository has no ${path}`);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function broken(why: string): LinkTarget {
  return { kind: 'broken', why };
}
