import { posix } from 'node:path';

/** The documents of a repository. Paths are relative to its root, with slashes. */
export interface Documents {
  /** Path of a Markdown file -> its text. */
  readonly pages: ReadonlyMap<string, string>;
  /** All files, also those that are no pages. */
  readonly files: ReadonlySet<string>;
  /** Address of the repository without a slash at its end, such as `https://github.com/owner/name`. */
  readonly repository?: string | undefined;
}

/** Path of the page in the site. A README is the index of its folder. */
export function htmlPathOf(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
}

/** Relative address of one file of the site, seen from another one. */
export function hrefBetween(from: string, to: string): string {
  return encodeURI(posix.relative(posix.dirname(from), to)).replaceAll(/[?#]/g, encodeURIComponent);
}

/**
 * Address of the repository of a package.json, whose field `repository` is a URL or has one.
 * Returns undefined without the field, and for anything but https.
 */
export function repositoryOf(manifest: unknown): string | undefined {
  const repository = fieldOf(manifest, 'repository');
  const url = fieldOf(repository, 'url') ?? repository;
  if (typeof url !== 'string') return undefined;
  const address = url.replace(/^git\+/, '').replace(/(\.git)?\/?$/, '');
  return address.startsWith('https://') ? address : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
