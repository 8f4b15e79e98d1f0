/** The parts of the in-memory OS besides kernel modules and the agent: busybox, Node, and their libraries. */
import { lstat, readFile, readlink, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Architecture } from './architecture.ts';
import type { CpioEntry } from './cpio.ts';
import { runCommand } from './run-command.ts';

/** Debian packages whose shared libraries Node's official executable links. */
export const LIBRARY_PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'] as const;

/**
 * From these packages only the libraries that Node links, and those that name resolution loads at run time.
 */
const LIBRARY_NAMES = /^lib(c|m|dl|pthread|rt|resolv|nss_dns|nss_files|stdc\+\+|gcc_s|atomic)\.so\.[\d.]+$/;

const SOURCE_DIRECTORY = fileURLToPath(new URL('../rootfs/', import.meta.url));

const DIRECTORIES = ['dev', 'proc', 'sys', 'run', 'tmp', 'root', 'mnt', 'var', 'usr/sbin'];

export function isFirstStageLibrary(name: string, { loader }: Architecture): boolean {
  return name === loader || LIBRARY_NAMES.test(name);
}

/** `init` and the files below `etc`, from `hook/rootfs`, and the list of the segments. */
export async function configurationEntries(segmentList: Uint8Array): Promise<readonly CpioEntry[]> {
  const names = (await readdir(SOURCE_DIRECTORY, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(SOURCE_DIRECTORY.length))
    .sort();
  const files = await Promise.all(
    names.map(async (path) => ({
      kind: 'file' as const,
      path,
      mode: path === 'init' || path.endsWith('.sh') ? 0o755 : 0o644,
      content: await readFile(join(SOURCE_DIRECTORY, path)),
    })),
  );
  return [
    ...DIRECTORIES.map((path) => ({
      kind: 'directory' as const,
      path,
      mode: path === 'tmp' ? 0o1777 : 0o755,
    })),
    // The kernel opens it for init before anything can be mounted.
    { kind: 'character-device', path: 'dev/console', mode: 0o600, major: 5, minor: 1 },
    ...files,
    { kind: 'file', path: 'usr/lib/tinkerbell/segments.json', mode: 0o644, content: segmentList },
  ];
}

/**
 * Adds busybox and a link for each of its programs. `ownRoot` is the same package for this machine's
 * processor, which can list its programs.
 */
export async function busyboxEntries(packageRoot: string, ownRoot: string): Promise<readonly CpioEntry[]> {
  const executable = join(packageRoot, 'bin/busybox');
  const applets = (await runCommand(join(ownRoot, 'bin/busybox'), ['--list-full']))
    .split('\n')
    .filter(Boolean);
  const links = applets
    .filter((path) => basename(path) !== 'busybox' && path !== 'linuxrc')
    .map((path) => ({ kind: 'link' as const, path, target: '/bin/busybox' }));
  const content = await readFile(executable);
  return [{ kind: 'file', path: 'bin/busybox', mode: 0o755, content }, ...links];
}

/**
 * Adds the shared libraries of unpacked packages, all in `lib`, with the other name by which programs may
 * know it.
 */
export async function libraryEntries(
  packageRoot: string,
  architecture: Architecture,
): Promise<readonly CpioEntry[]> {
  const { libraryDirectories, libraryLink } = architecture;
  const entries = new Map<string, CpioEntry>();
  for (const directory of libraryDirectories) {
    const names = await readdir(join(packageRoot, directory)).catch(() => []);
    for (const name of names.filter((candidate) => isFirstStageLibrary(candidate, architecture))) {
      const source = join(packageRoot, directory, name);
      if (entries.has(name) && (await lstat(source)).isSymbolicLink()) continue;
      entries.set(name, await libraryEntry(source, name));
    }
  }
  const link = { kind: 'link', path: libraryLink ?? '', target: 'lib' } as const;
  return [...entries.values(), ...(libraryLink === undefined ? [] : [link])];
}

async function libraryEntry(source: string, name: string): Promise<CpioEntry> {
  const path = `lib/${name}`;
  if ((await lstat(source)).isSymbolicLink()) {
    const target = basename(await readlink(source));
    if (target !== name) return { kind: 'link', path, target };
  }
  return { kind: 'file', path, mode: 0o755, content: await readFile(source) };
}
