import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHook, withCacheLock } from '@tinkerbell/hook';
import { fetchIpxeBinaries } from '@tinkerbell/sandbox';

const cacheDirectory = join(import.meta.dirname, '../../../.cache');

export interface BootPlace {
  readonly hookDirectory: string;
  readonly ipxeDirectory: string;
  /** Empty except for `images`. */
  readonly directory: string;
}

/** Provides what a server needs to boot machines. Call it before entering an isolated network. */
export async function prepareBoot(cleanup: AsyncDisposableStack): Promise<BootPlace> {
  const hookDirectory = join(cacheDirectory, 'test/hook-firmware');
  const ipxe = await withCacheLock(cacheDirectory, async () => {
    await buildHook({ outputDirectory: hookDirectory, cacheDirectory, release: false });
    return fetchIpxeBinaries(cacheDirectory);
  });
  const directory = await mkdtemp(join(cacheDirectory, 'test/gateway-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'images'));
  return { hookDirectory, ipxeDirectory: ipxe.directory, directory };
}
