/** A file system in memory that only one process sees, so that a run that was killed leaves nothing behind. */
import { mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { startChild } from '@tinkerbell/sandbox';

/** Returns the path under which this process and its children reach it. */
export async function mountSmallDisk(
  { directory, mebibytes }: { readonly directory: string; readonly mebibytes: number },
  cleanup: AsyncDisposableStack,
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs "$0" && echo mounted && exec sleep infinity`;
  const mount = ['--mount', '--propagation', 'private', 'sh', '-c', script, directory];
  const holder = await startChild('unshare', mount);
  cleanup.defer(() => holder.stop());
  if (holder.process.stdout !== null) await once(holder.process.stdout, 'data');
  return `/proc/${holder.pid}/root${directory}`;
}
