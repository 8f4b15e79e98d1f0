/** Provides Debian's kubectl 1.20, unpacked beside the other downloads. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDebianArchive, runCommand } from '@tinkerbell/hook';

export const kubectlCache = join(import.meta.dirname, '../../.cache');

/** Returns its path. Call it with the lock of the cache. */
export async function installedKubectl(): Promise<string> {
  const folder = join(kubectlCache, 'kubectl');
  const path = join(folder, 'usr/bin/kubectl');
  if (existsSync(path)) return path;
  const archive = await openDebianArchive({ suite: 'bookworm', cacheDirectory: kubectlCache });
  const [file = ''] = await archive.download(['kubernetes-client']);
  mkdirSync(folder, { recursive: true });
  await runCommand('dpkg-deb', ['-x', file, folder]);
  return path;
}
