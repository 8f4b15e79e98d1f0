import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openDebianArchive } from './debian-archive.ts';
import { runCommand } from './run-command.ts';

/** The names of directories below /usr/lib/grub. */
export type GrubFormat = 'i386-pc' | 'x86_64-efi' | 'arm64-efi';

const PACKAGES = {
  'i386-pc': { name: 'grub-pc-bin', architecture: 'amd64' },
  'x86_64-efi': { name: 'grub-efi-amd64-bin', architecture: 'amd64' },
  'arm64-efi': { name: 'grub-efi-arm64-bin', architecture: 'arm64' },
} as const;

/** Modules must belong to the same release as the installed grub-mkimage. */
const DEBIAN_SUITE = 'bookworm';

/**
 * Returns GRUB's modules for a platform: the installed ones, else those of the Debian package, unpacked into
 * the cache.
 */
export async function moduleDirectory(format: GrubFormat, cacheDirectory: string): Promise<string> {
  const installed = join('/usr/lib/grub', format);
  if (await exists(join(installed, 'normal.mod'))) return installed;
  const { name, architecture } = PACKAGES[format];
  const archive = await openDebianArchive({ suite: DEBIAN_SUITE, cacheDirectory, architecture });
  const [file = ''] = await archive.download([name]);
  const target = join(cacheDirectory, 'grub', format);
  if (!(await exists(target))) {
    const partial = `${target}.${process.pid}`;
    await mkdir(partial, { recursive: true });
    await runCommand('dpkg-deb', ['-x', file, partial]);
    await rename(partial, target).catch(() => rm(partial, { recursive: true }));
  }
  return join(target, 'usr/lib/grub', format);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
