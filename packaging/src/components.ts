/** What the artefacts contain that others made, for the bill of materials. */
import type { TarEntry } from '@tinkerbell/hook';
import type { InstalledFiles } from './installed-files.ts';
import { lockedPackages } from './programs/program-files.ts';
import { CHECKOUT } from './build-place.ts';
import { debianComponent, debianUrl, npmComponents, type Component } from './sbom.ts';

interface Contents {
  readonly installed: InstalledFiles;
  /** The in-memory OS, or empty. */
  readonly system: readonly TarEntry[];
  /** File names of Debian packages in the container image. */
  readonly libraries: readonly string[];
}

export function componentsOf({ installed, system, libraries }: Contents): readonly Component[] {
  const all = [
    ...npmComponents(lockedPackages(CHECKOUT), installed.npmPackages),
    nodeComponent(),
    ...libraries.map(debianComponent),
    ...ipxeComponents(installed.ipxe),
    ...system.flatMap(segmentComponents),
  ];
  return [...new Map(all.map((component) => [component.purl, component])).values()];
}

function nodeComponent(): Component {
  const version = process.version.slice(1);
  return { name: 'node', version, purl: `pkg:generic/node@${version}`, license: 'MIT' };
}

/** Binaries of iPXE contain the version of their Debian package. */
function ipxeComponents(binaries: readonly TarEntry[]): readonly Component[] {
  const found = binaries.flatMap((entry) =>
    entry.kind === 'file'
      ? (/\d+\.\d+\.\d+\+git[\w.+~-]+/.exec(Buffer.from(entry.content).toString('latin1'))?.[0] ?? [])
      : [],
  );
  return [...new Set(found)].map((version) => ({
    name: 'ipxe',
    version,
    purl: debianUrl({ name: 'ipxe', version, architecture: 'all' }),
    license: 'GPL-2.0-or-later',
  }));
}

/** `segments-<arch>.json` names the Debian packages of each segment. See hook/src/segments/build-segments.ts. */
function segmentComponents(entry: TarEntry): readonly Component[] {
  if (entry.kind !== 'file') return [];
  const name = /\/segments-(x86_64|aarch64)\.json$/.exec(entry.path)?.[1];
  if (name === undefined) return [];
  const architecture = name === 'aarch64' ? 'arm64' : 'amd64';
  const list: {
    readonly segments: readonly {
      readonly packages: readonly { readonly name: string; readonly version: string }[];
    }[];
  } = JSON.parse(Buffer.from(entry.content).toString());
  return list.segments.flatMap(({ packages }) =>
    packages.map((one) => ({ ...one, purl: debianUrl({ ...one, architecture }) })),
  );
}
