/**
 * The programs as files that run anywhere: the bundle, and beside it the few npm packages that cannot be bundled. All of them are in
 * one folder named after its content. A server that runs during an upgrade therefore never loads a part of another version.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { TarEntry } from '@tinkerbell/hook';
import { bundlePrograms } from './bundle-programs.ts';
import { neededPackages, packageFolderOf, packageOfImport, type LockedPackages } from './npm-packages.ts';

/** Where a package has the programs. Below it is what is at the same place in a checkout, such as `api/crd`. */
export const INSTALLED = 'usr/lib/tinkerbell';
const NPM_PROGRAMS = 'programs';

/** `installed`: at their absolute place, in a folder named after its content. `npm`: wherever npm puts the package. */
export type ProgramPlace = 'installed' | 'npm';

export interface ProgramFiles {
  /** `usr/lib/tinkerbell/programs/<hash>`, or `programs` in the npm package. */
  readonly folder: string;
  readonly entries: readonly TarEntry[];
  /** Folders of the npm packages inside, below the checkout. */
  readonly npmPackages: readonly string[];
}

/** See apps/server/src/main.mjs. The heap's flag is one of the launcher. */
const STARTERS = ['server', 'tink'].map((name) => ({
  name: `start-${name}.mjs`,
  text: `import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('./${name}.mjs');\n`,
}));

export async function programFiles(checkout: string, place: ProgramPlace): Promise<ProgramFiles> {
  const withPaths = place === 'npm' ? withPackagePaths : withInstalledPaths;
  const bundle = await bundlePrograms(checkout, {
    withPaths: (text, path) => withPaths(text, relative(checkout, path)),
    importOf: (specifier) => specifier,
  });
  const locked = lockedPackages(checkout);
  const copied = neededPackages(locked, [...new Set(bundle.outside.map(packageOfImport))]);
  const files = [
    ...bundle.files.map(({ name, contents }) => fileOf(name, contents)),
    ...STARTERS.map(({ name, text }) => fileOf(name, Buffer.from(text))),
    ...copied.flatMap((folder) => packageFiles(checkout, folder)),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
  const folder = place === 'npm' ? NPM_PROGRAMS : `${INSTALLED}/programs/${hashOf(files)}`;
  const bundled = bundle.inputs.flatMap((path) => packageFolderOf(path) ?? []);
  return {
    folder,
    entries: files.map((file) => ({ ...file, path: `${folder}/${file.path}` })),
    npmPackages: [...new Set([...bundled, ...copied])].sort(),
  };
}

export function lockedPackages(checkout: string): LockedPackages {
  return JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')).packages;
}

/** The folder of a source becomes the same place below the installed programs. */
export function withInstalledPaths(text: string, path: string): string {
  return text.replaceAll('import.meta.dirname', JSON.stringify(`/${INSTALLED}/${dirname(path)}`));
}

/** The folder of a source becomes the same place in the npm package, beside the folder of the bundle. */
function withPackagePaths(text: string, path: string): string {
  const above = JSON.stringify(`/../${dirname(path)}`);
  return text.replaceAll('import.meta.dirname', `(import.meta['dirname'] + ${above})`);
}

type FileEntry = Extract<TarEntry, { readonly kind: 'file' }>;

function fileOf(path: string, content: Uint8Array): FileEntry {
  return { kind: 'file', path, mode: 0o644, content };
}

/** Types, maps and tests are not needed, and neither is text other than licenses. */
const NOT_NEEDED = /\.(?:[cm]?ts|map|md|markdown|flow|yml)$|\/(?:tests?|docs?|examples?|bench|bin)\/|\/\./i;
const LICENSE = /^(?:licen[cs]e|copying|notice)/i;

function packageFiles(checkout: string, folder: string): readonly FileEntry[] {
  const directory = join(checkout, folder);
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = relative(directory, join(entry.parentPath, entry.name));
    const isNested = path.startsWith('node_modules/');
    const isNeeded = LICENSE.test(basename(path)) || !NOT_NEEDED.test(`/${path}`);
    if (!entry.isFile() || isNested || !isNeeded) return [];
    return [fileOf(`${folder}/${path}`, readFileSync(join(directory, path)))];
  });
}

function hashOf(files: readonly FileEntry[]): string {
  const hash = createHash('sha256');
  for (const { path, content } of files) hash.update(`${path}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, 16);
}
