/** What the in-memory OS consists of besides kernel modules and the agent: busybox, Node, their libraries. */
import { createHash } from 'node:crypto';
import { lstat, readFile, readlink, readdir, copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { CpioEntry } from './cpio.ts';
import { runCommand } from './run-command.ts';

/** Debian packages whose shared libraries Node's official executable links. */
export const LIBRARY_PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'] as const;

/** Of these packages only what Node links, and what name resolution loads at run time. */
const LIBRARY_NAMES =
  /^(ld-linux-x86-64\.so\.2|lib(c|m|dl|pthread|rt|resolv|nss_dns|nss_files|stdc\+\+|gcc_s|atomic)\.so\.[\d.]+)$/;
const LIBRARY_DIRECTORIES = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu', 'lib64', 'usr/lib64'];

const SOURCE_DIRECTORY = fileURLToPath(new URL('../rootfs/', import.meta.url));

const DIRECTORIES = ['dev', 'proc', 'sys', 'run', 'tmp', 'root', 'mnt', 'var', 'usr/sbin'];

/** `init` and the files below `etc`, as they lie in `hook/rootfs`. */
export async function configurationEntries(): Promise<readonly CpioEntry[]> {
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
  ];
}

/** busybox and a link for each of its programs. */
export async function busyboxEntries(packageRoot: string): Promise<readonly CpioEntry[]> {
  const executable = join(packageRoot, 'bin/busybox');
  const applets = (await runCommand(executable, ['--list-full'])).split('\n').filter(Boolean);
  const links = applets
    .filter((path) => basename(path) !== 'busybox' && path !== 'linuxrc')
    .map((path) => ({ kind: 'link' as const, path, target: '/bin/busybox' }));
  const content = await readFile(executable);
  return [{ kind: 'file', path: 'bin/busybox', mode: 0o755, content }, ...links];
}

/** The shared libraries found in unpacked packages, all in `lib`, with `lib64` as another name for it. */
export async function libraryEntries(packageRoot: string): Promise<readonly CpioEntry[]> {
  const entries = new Map<string, CpioEntry>();
  for (const directory of LIBRARY_DIRECTORIES) {
    const names = await readdir(join(packageRoot, directory)).catch(() => []);
    for (const name of names.filter((candidate) => LIBRARY_NAMES.test(candidate))) {
      const source = join(packageRoot, directory, name);
      if (entries.has(name) && (await lstat(source)).isSymbolicLink()) continue;
      entries.set(name, await libraryEntry(source, name));
    }
  }
  return [...entries.values(), { kind: 'link', path: 'lib64', target: 'lib' }];
}

async function libraryEntry(source: string, name: string): Promise<CpioEntry> {
  const path = `lib/${name}`;
  if ((await lstat(source)).isSymbolicLink()) {
    const target = basename(await readlink(source));
    if (target !== name) return { kind: 'link', path, target };
  }
  return { kind: 'file', path, mode: 0o755, content: await readFile(source) };
}

/** This build's Node without its symbols: a third smaller, and the same program. */
export async function nodeEntry(workDirectory: string): Promise<CpioEntry> {
  const copy = join(workDirectory, 'node');
  await copyFile(process.execPath, copy);
  await runCommand('strip', [copy]);
  return { kind: 'file', path: 'usr/bin/node', mode: 0o755, content: await readFile(copy) };
}

/** Names the executable that `nodeEntry` strips. */
export async function nodeFingerprint(): Promise<string> {
  return createHash('sha256')
    .update(await readFile(process.execPath))
    .digest('hex');
}
