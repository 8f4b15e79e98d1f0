import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { openDebianArchive } from './debian-archive.ts';
import { runCommand } from './run-command.ts';

/**
 * Debian 12's iPXE is from 2019 and hangs on `exit` under UEFI, so Debian 13's is used where it is reachable.
 */
const SUITES = ['trixie', 'bookworm'];

export interface IpxeBinaries {
  /** Has undionly.kpxe, ipxe.efi and others. */
  readonly directory: string;
  /** Set when the newest is unreachable. */
  readonly warning: string | undefined;
}

/** Fetches Debian's iPXE binaries and unpacks them into the cache. */
export async function fetchIpxeBinaries(cacheDirectory: string): Promise<IpxeBinaries> {
  const failures: string[] = [];
  for (const suite of SUITES) {
    try {
      const archive = await openDebianArchive({ suite, cacheDirectory });
      const [file = ''] = await archive.download(['ipxe']);
      const directory = await unpack(file, join(cacheDirectory, 'ipxe'));
      return { directory, warning: failures.length === 0 ? undefined : failures.join('\n') };
    } catch (error) {
      failures.push(
        `no iPXE from Debian ${suite}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  throw new Error(failures.join('\n'));
}

async function unpack(file: string, parent: string): Promise<string> {
  const target = join(parent, basename(file, '.deb'));
  const done = await access(target).then(
    () => true,
    () => false,
  );
  if (!done) {
    await mkdir(parent, { recursive: true });
    const partial = `${target}.${process.pid}`;
    await runCommand('dpkg-deb', ['-x', file, partial]);
    await rename(join(partial, 'usr/lib/ipxe'), target);
    await rm(partial, { recursive: true });
  }
  if ((await readdir(target)).length === 0) throw new Error(`${file} has no binaries`);
  return target;
}
