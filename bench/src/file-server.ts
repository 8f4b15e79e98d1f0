/** nginx with its usual settings on loopback: neither ours nor the peer's. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { needProgram, startProgram, untilReady } from './running-program.ts';
import { freePort } from './tinkerbell-server.ts';

export interface FileServer {
  /** Of the directory, without a slash at the end. */
  readonly url: string;
  /** Of the process that answers. */
  workerPid(): number;
}

/** Serves a directory. */
export async function serveFiles(context: BenchContext, directory: string): Promise<FileServer> {
  const nginx = needProgram('nginx', 'nginx-light');
  const port = await freePort();
  const work = join(context.directory, 'nginx');
  mkdirSync(work);
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = `
    daemon off; pid ${work}/pid; error_log stderr; worker_processes 1;${process.getuid?.() === 0 ? ' user root;' : ''}
    events {}
    http {
      access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;
      ${bodies.map((name) => `${name}_temp_path ${work}/${name};`).join(' ')}
      server { listen 127.0.0.1:${port}; root ${directory}; }
    }`;
  writeFileSync(join(work, 'nginx.conf'), configuration);
  const program = startProgram(context, {
    command: [nginx, '-p', work, '-e', 'stderr', '-c', join(work, 'nginx.conf')],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  const children = `/proc/${program.pid}/task/${program.pid}/children`;
  return { url, workerPid: () => Number(readFileSync(children, 'utf8').trim().split(' ')[0]) };
}
