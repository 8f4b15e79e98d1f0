/** The npm package `tinkerbell`: bundled programs that need no other package, but the Node of the platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeTar, withParents, type TarEntry } from '@tinkerbell/hook';
import { CHECKOUT } from '../build-place.ts';
import type { InstalledFiles } from '../installed-files.ts';
import { INSTALLED, programFiles } from '../programs/program-files.ts';

const SOURCES = join(import.meta.dirname, '../../npm');
/** The folder that npm expects in an archive. */
const FOLDER = 'package';
const LAUNCHERS = ['tinkerbell.mjs', 'tink.mjs', 'launch.mjs'];

interface NpmPackageRequest {
  readonly version: string;
  readonly modifiedSeconds: number;
}

/** Returns the archive. The same sources give the same bytes. */
export async function npmPackage(
  { version, modifiedSeconds }: NpmPackageRequest,
  installed: InstalledFiles,
): Promise<Uint8Array> {
  const programs = await programFiles(CHECKOUT, 'npm');
  const entries = [
    ...programs.entries.map((entry) => ({ ...entry, path: `${FOLDER}/${entry.path}` })),
    ...[...installed.definitions, ...installed.webConsole, ...withoutLinks(installed.ipxe)].map(belowFolder),
    ...LAUNCHERS.map((name) => fileOf(`bin/${name}`, readFileSync(join(SOURCES, name), 'utf8'), 0o755)),
    fileOf('package.json', manifestText(version, checkoutManifest())),
    fileOf('README.md', readFileSync(join(SOURCES, 'README.md'), 'utf8')),
    fileOf('LICENSE', readFileSync(join(CHECKOUT, 'LICENSE'), 'utf8')),
    fileOf('COPYRIGHT', installed.copyright),
  ];
  return gzipSync(encodeTar(withParents(entries), modifiedSeconds), { level: 9 });
}

/** What is below the installed folder of the Debian package has the same place in this one. */
function belowFolder(entry: TarEntry): TarEntry {
  return { ...entry, path: entry.path.replace(INSTALLED, FOLDER) };
}

/** npm leaves symbolic links out, so the file is duplicated. */
function withoutLinks(entries: readonly TarEntry[]): readonly TarEntry[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'link') return [entry];
    const path = join(entry.path, '..', entry.target);
    const target = entries.find((one) => one.path === path);
    return target?.kind === 'file' ? [{ ...target, path: entry.path }] : [];
  });
}

function fileOf(path: string, text: string, mode = 0o644): TarEntry {
  return { kind: 'file', path: `${FOLDER}/${path}`, mode, content: Buffer.from(text) };
}

interface CheckoutManifest {
  readonly description: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

function checkoutManifest(): CheckoutManifest {
  return JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'));
}

/** The launcher runs in the Node of `engines`, and starts that of the optional dependency. */
function manifestText(version: string, checkout: CheckoutManifest): string {
  const { description, license, engines, optionalDependencies } = checkout;
  const manifest = {
    name: 'tinkerbell',
    version,
    description,
    license,
    type: 'module',
    bin: { tinkerbell: 'bin/tinkerbell.mjs', tink: 'bin/tink.mjs' },
    engines,
    optionalDependencies,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
