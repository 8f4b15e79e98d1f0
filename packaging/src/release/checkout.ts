/** What the release reads from git and writes into the checkout. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelogSection, CHANGELOG_TITLE, withSection, type Commit } from './changelog.ts';
import {
  chartWithVersion,
  composeWithVersion,
  lockWithVersion,
  packageWithVersion,
  sourceWithVersion,
} from './versions.ts';

const VERSION_SOURCE = 'apps/server/src/version.ts';
const CHART = 'deploy/helm/tinkerbell/Chart.yaml';
const COMPOSE = 'deploy/compose/compose.yaml';
const LOCK = 'package-lock.json';
const CHANGELOG = 'CHANGELOG.md';
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

export interface Checkout {
  readonly root: string;
}

export interface Change {
  /** Relative to the root. */
  readonly path: string;
  readonly text: string;
}

export function git({ root }: Checkout, ...words: readonly string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX } as const;
  return execFileSync('git', words, options).trim();
}

/** @throws Error that names what is not committed. */
export function assertClean(checkout: Checkout): void {
  const changed = git(checkout, 'status', '--porcelain');
  if (changed !== '') throw new Error(`commit or remove these files first:\n${changed}`);
}

/** The commits since the last tag of a version. Without such a tag, all commits. */
function commitsSinceTag(checkout: Checkout): readonly Commit[] {
  const [tag] = git(checkout, 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname').split('\n');
  const range = tag === undefined || tag === '' ? 'HEAD' : `${tag}..HEAD`;
  const lines = git(checkout, 'log', '--format=%H %s', range).split('\n');
  return lines.flatMap((line) => {
    const [, hash, subject] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
    return hash === undefined || subject === undefined ? [] : [{ hash, subject }];
  });
}

export interface Plan {
  readonly section: string;
  /** Only files whose text changes. */
  readonly changes: readonly Change[];
}

/** Writes nothing. */
export function planOf(checkout: Checkout, version: string): Plan {
  const date = git(checkout, 'log', '-1', '--format=%cs');
  const section = changelogSection({ version, date, commits: commitsSinceTag(checkout) });
  const read = (path: string): string => readFileSync(join(checkout.root, path), 'utf8');
  const packages = ['package.json', ...workspacesOf(checkout)];
  const wanted = [
    ...packages.map((path) => ({ path, text: packageWithVersion(read(path), version) })),
    { path: LOCK, text: lockWithVersion(read(LOCK), version) },
    { path: VERSION_SOURCE, text: sourceWithVersion(read(VERSION_SOURCE), version) },
    { path: CHART, text: chartWithVersion(read(CHART), version) },
    { path: COMPOSE, text: composeWithVersion(read(COMPOSE), version) },
  ];
  const changelog = { path: CHANGELOG, text: withSection(changelogIn(checkout), version, section) };
  return { section, changes: [...wanted.filter(({ path, text }) => read(path) !== text), changelog] };
}

export function write({ root }: Checkout, { changes }: Plan): void {
  for (const { path, text } of changes) writeFileSync(join(root, path), text);
}

/** The package.json of every workspace. */
function workspacesOf({ root }: Checkout): readonly string[] {
  const { workspaces }: { workspaces: readonly string[] } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return workspaces.flatMap((one) => globSync(`${one}/package.json`, { cwd: root })).toSorted();
}

function changelogIn({ root }: Checkout): string {
  try {
    return readFileSync(join(root, CHANGELOG), 'utf8');
  } catch {
    return CHANGELOG_TITLE;
  }
}
