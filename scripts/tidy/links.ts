import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Relative links of a Markdown page whose file is not there, as `page: link`. */
export function brokenLinks(root: string, page: string, text: string): string[] {
  const withoutCode = text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '');
  return [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^(https?:|mailto:|#)/.test(link))
    .filter((link) => !existsSync(join(root, dirname(page), link.split('#')[0] ?? '')))
    .map((link) => `${page}: ${link}`);
}

const SOURCES = /`([\w./-]+\.(?:ts|mjs|go|sh))`/g;

/**
 * Source files that a page names in backquotes and that do not exist, as `page: file`. A name may be the end of a path: a page
 * names files of its own folder, and a table the further tests of one package, without what they share.
 */
export function missingSources(files: readonly string[], page: string, text: string): string[] {
  return [...text.matchAll(SOURCES)]
    .map((match) => match[1] ?? '')
    .filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))
    .map((name) => `${page}: ${name}`);
}
