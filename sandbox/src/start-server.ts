/** Starts the product as a user would: its own program, its own flags. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { startChild } from './child-process.ts';
import { EMULATED_KERNEL_ARGUMENTS } from './firmware.ts';
import { localFetch } from './local-authorization.ts';
import type { NetworkHost } from './network-host.ts';

const SERVER_MAIN = fileURLToPath(new URL('../../apps/server/src/main.mjs', import.meta.url));
export const HTTP_PORT = 7080;
const READY_ATTEMPTS = 300;
const READY_WAIT_MS = 50;
const OUTPUT_LINES_KEPT = 50;

export interface ServerOptions {
  readonly dataDirectory: string;
  /** The folder served under /images/. */
  readonly imagesDirectory: string;
  /** The folder served under /hook/. */
  readonly hookDirectory: string;
  readonly ipxeDirectory: string;
  readonly networkInterface: string;
  readonly address: string;
  /** The host on which it runs. Absent: this process's own network. */
  readonly host?: NetworkHost;
  readonly flags?: readonly string[];
}

export interface RunningServer {
  readonly pid: number;
  /** The base URL of HTTP and API for this machine. */
  readonly url: string;
  readonly dataDirectory: string;
  /** `fetch` as the administrator of the server. */
  readonly request: ReturnType<typeof localFetch>;
  readonly readySeconds: number;
  residentMegabytes(): Promise<number>;
  /** The end of its log, for an error report. */
  tail(): readonly string[];
  stop(): Promise<void>;
  /** Sends SIGKILL, like a power cut. Its data folder stays. */
  kill(): Promise<void>;
}

/** Resolves when it answers. @throws Error with the end of its log when it does not. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const startedMs = performance.now();
  const start = options.host?.start ?? startChild;
  const child = await start('env', [
    // As in `npm start`: less memory for a little more garbage collection, and one arena for all threads of
    // the compiler.
    'MALLOC_ARENA_MAX=1',
    process.execPath,
    '--max-semi-space-size=8',
    SERVER_MAIN,
    `--data-dir=${options.dataDirectory}`,
    `--images-dir=${options.imagesDirectory}`,
    `--hook-dir=${options.hookDirectory}`,
    `--ipxe-binary-dir=${options.ipxeDirectory}`,
    `--dhcp-bind-interface=${options.networkInterface}`,
    `--public-ipv4=${options.address}`,
    `--http-port=${HTTP_PORT}`,
    `--ipxe-http-script-extra-kernel-args=${EMULATED_KERNEL_ARGUMENTS}`,
    '--log-format=text',
    ...(options.flags ?? []),
  ]);
  const lines: string[] = [];
  for (const stream of [child.process.stdout, child.process.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > OUTPUT_LINES_KEPT) lines.shift();
    });
  }
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  // Not our address on the bridge: while no machine is switched on, the bridge has no carrier, and its
  // address does not count as this machine's own.
  const url = `http://${options.host === undefined ? '127.0.0.1' : options.address}:${HTTP_PORT}`;
  for (let attempt = 1; !(await isReady(url)); attempt += 1) {
    if (ended || attempt === READY_ATTEMPTS) {
      await child.stop();
      throw new Error(`the server does not start:\n${lines.join('\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, READY_WAIT_MS));
  }
  return {
    pid: child.pid,
    url,
    dataDirectory: options.dataDirectory,
    request: localFetch(options.dataDirectory),
    readySeconds: (performance.now() - startedMs) / 1000,
    residentMegabytes: () => residentMegabytes(child.pid),
    tail: () => lines,
    stop: () => child.stop(),
    async kill() {
      child.process.kill('SIGKILL');
      await child.ended;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round((Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024) / 1e6);
}
