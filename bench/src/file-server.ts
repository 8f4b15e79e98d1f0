/** Runs nginx with its default settings on loopback. It is neither ours nor the peer's. */
import { freePort } from '@tinkerbell/sandbox/free-port';

import type { BenchContext } from './benchmark.ts';
import { startNginx } from './nginx.ts';

export interface FileServer {
  /** The URL of the directory, without a slash at the end. */
  readonly url: string;
  /** The id of the process that answers. */
  workerPid(): number;
}

/** Serves a directory. */
export async function serveFiles(context: BenchContext, directory: string): Promise<FileServer> {
  const port = await freePort();
  const http = `server { listen 127.0.0.1:${port}; root ${directory}; }`;
  const { workerPid } = await startNginx(context, { name: 'nginx', http, port });
  return { url: `http://127.0.0.1:${port}`, workerPid };
}
