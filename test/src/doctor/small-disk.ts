/** A file system in memory that only some processes see, so that a run that was killed leaves nothing behind. */
import { mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { startChild, startServer, type RunningServer, type ServerOptions } from '@tinkerbell/sandbox';
import { localFetch } from '@tinkerbell/sandbox/local-authorization';
import type { Lab } from '../firmware/lab.ts';

/** Starts a server whose data folder is a file system of that size. Its `dataDirectory` is the path by which this process reaches it. */
export async function startOnSmallDisk(
  options: ServerOptions,
  { mebibytes, lab }: { readonly mebibytes: number; readonly lab: Lab },
  cleanup: AsyncDisposableStack,
): Promise<RunningServer> {
  const { dataDirectory } = options;
  await mkdir(dataDirectory, { recursive: true });
  const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs "$0" && echo mounted && exec sleep infinity`;
  const mount = ['--mount', '--propagation', 'private', 'sh', '-c', script, dataDirectory];
  const holder = await startChild('unshare', mount);
  cleanup.defer(() => holder.stop());
  if (holder.process.stdout !== null) await once(holder.process.stdout, 'data');
  const inside = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, '--'];
  const server = await startServer({
    ...options,
    host: {
      ...lab.server,
      start: (command, args) => lab.server.start('env', [...inside, command, ...args]),
    },
  });
  const visible = `/proc/${holder.pid}/root${dataDirectory}`;
  return { ...server, dataDirectory: visible, request: localFetch(visible) };
}
