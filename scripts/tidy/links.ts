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

const SOURCES =
  /`((?:actions|api|apps|bench|domain|engine|hook|languages|platform|protocols|sandbox|scripts|services|store|test)\/[\w./-]+\.(?:ts|mjs|go|sh))`/g;

/** Source files that a page names in backquotes and that do not exist, as `page: file`. */
export function missingSources(root: string, page: string, text: string): string[] {
  return [...text.matchAll(SOURCES)]
    .map((match) => match[1] ?? '')
    .filter((file) => !existsSync(join(root, file)))
    .map((file) => `${page}: ${file}`);
}
