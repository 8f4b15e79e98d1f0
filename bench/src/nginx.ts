/** nginx with one worker on loopback. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { needProgram, startProgram, untilReady } from './running-program.ts';

export interface NginxOptions {
  /** The name of its folder below the benchmark's. */
  readonly name: string;
  /** The contents of `http {}`. */
  readonly http: string;
  /** It is ready when this port accepts connections. */
  readonly port: number;
}

export interface Nginx {
  /** The id of the process that answers. */
  readonly workerPid: () => number;
}

/** nginx closes a connection after 1,000 requests by default. The load is to keep its connections. */
const REQUESTS_PER_CONNECTION = 1_000_000_000;
/** More than a benchmark has. The times are those of nginx' own example. */
const OPEN_FILES = 20_000;
const BODIES = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export async function startNginx(context: BenchContext, options: NginxOptions): Promise<Nginx> {
  const nginx = needProgram('nginx', 'nginx-light');
  const { name, http, port } = options;
  const work = join(context.directory, name);
  mkdirSync(work);
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  const configuration = `
    daemon off; pid ${work}/pid; error_log stderr; worker_processes 1;${user} worker_rlimit_nofile 65536;
    events { worker_connections 32768; }
    http {
      access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;
      open_file_cache max=${OPEN_FILES} inactive=20s; open_file_cache_valid 30s;
      keepalive_requests ${REQUESTS_PER_CONNECTION};
      ${BODIES.map((body) => `${body}_temp_path ${work}/${body};`).join(' ')}
      ${http}
    }`;
  writeFileSync(join(work, 'nginx.conf'), configuration);
  const program = startProgram(context, {
    command: [nginx, '-p', work, '-e', 'stderr', '-c', join(work, 'nginx.conf')],
  });
  await untilReady(program, () => isTaken(port));
  const children = `/proc/${program.pid}/task/${program.pid}/children`;
  return { workerPid: () => Number(readFileSync(children, 'utf8').trim().split(' ')[0]) };
}

/** Returns true if a program on loopback accepts connections there. */
export function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
