/** The control files of a Debian package (Debian policy, chapters 5 and 10). */
import { createHash } from 'node:crypto';
import type { TarEntry } from '@tinkerbell/hook';

export interface PackageDescription {
  readonly name: string;
  readonly version: string;
  /** Debian's name of it, or `all`. */
  readonly architecture: string;
  readonly maintainer: string;
  readonly depends: readonly string[];
  readonly recommends: readonly string[];
  /** One line. */
  readonly summary: string;
  /** Lines of at most 80 characters. An empty one begins a paragraph. */
  readonly description: readonly string[];
}

const KIBIBYTE = 1024;

export function controlText(description: PackageDescription, entries: readonly TarEntry[]): string {
  const { depends, recommends } = description;
  const lines = description.description.map((line) => (line === '' ? ' .' : ` ${line}`));
  return [
    `Package: ${description.name}`,
    `Version: ${description.version}`,
    `Architecture: ${description.architecture}`,
    `Maintainer: ${description.maintainer}`,
    `Installed-Size: ${installedKibibytes(entries)}`,
    ...(depends.length === 0 ? [] : [`Depends: ${depends.join(', ')}`]),
    ...(recommends.length === 0 ? [] : [`Recommends: ${recommends.join(', ')}`]),
    'Section: net',
    'Priority: optional',
    'Homepage: https://tinkerbell.org',
    `Description: ${description.summary}`,
    ...lines,
    '',
  ].join('\n');
}

/** Each file takes whole kibibytes, and everything else takes one. */
export function installedKibibytes(entries: readonly TarEntry[]): number {
  return entries.reduce(
    (sum, entry) => sum + (entry.kind === 'file' ? Math.ceil(entry.content.length / KIBIBYTE) : 1),
    0,
  );
}

/** The sums that `dpkg --verify` compares. Configuration files are not in it, because they are edited. */
export function md5sums(entries: readonly TarEntry[]): string {
  const files = entries.flatMap((entry) =>
    entry.kind === 'file' && !isConfiguration(entry.path) ? [entry] : [],
  );
  return files
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .join('');
}

/** Files that dpkg keeps as an administrator has edited them. */
export function conffiles(entries: readonly TarEntry[]): string {
  return entries
    .flatMap(({ kind, path }) => (kind === 'file' && isConfiguration(path) ? [`/${path}\n`] : []))
    .join('');
}

function isConfiguration(path: string): boolean {
  return path.startsWith('etc/');
}

/**
 * Throws an Error for a version that dpkg does not accept, or that cannot be part of a file name (Debian policy 5.6.12, without
 * epoch).
 */
export function checkedVersion(text: string): string {
  if (/^\d[A-Za-z0-9.+~-]*$/.test(text)) return text;
  throw new Error(
    `--version must begin with a digit and have only letters, digits and . + ~ -, not ${JSON.stringify(text)}`,
  );
}
