/** Runs the real server as a child process on loopback, with its own data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { localFetch } from '@tinkerbell/sandbox/local-authorization';

const main = join(import.meta.dirname, '../../apps/server/src/main.mjs');

export interface ServerChild extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly dataDirectory: string;
  /** `fetch` as the administrator of the server, unless a request has its own credential. */
  readonly request: ReturnType<typeof localFetch>;
  readonly pid: number;
  /** Its log so far. */
  said(): readonly string[];
  /** Sends SIGKILL, like a power cut. The data folder stays. */
  kill(): Promise<void>;
}

export interface ServerChildOptions {
  /** The folder of a killed server (default: a new one). */
  readonly dataDirectory?: string;
  readonly flags?: readonly string[];
  /** The beginning of the command line: a program that executes the rest. */
  readonly prefix?: readonly string[];
}

/** Resolves when the server reports that it is ready. Rejects with its output when it ends before. */
export async function startServer(options: ServerChildOptions = {}): Promise<ServerChild> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'tinkerbell-server-'));
  const flags = [
    '--data-dir',
    dataDirectory,
    '--bind-address',
    '127.0.0.1',
    '--http-port',
    '0',
    '--tink-server-bind-port',
    '0',
    '--local-api-port',
    '0',
  ];
  const quiet = [
    '--dhcp-enabled=false',
    '--tftp-server-enabled=false',
    '--syslog-enabled=false',
    '--log-format',
    'json',
  ];
  const [program, ...words] = [...(options.prefix ?? []), process.execPath, main];
  const child = spawn(program, [...words, ...flags, ...quiet, ...(options.flags ?? [])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const found = /"http":"http:\/\/[^:]+:(\d+)"/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(`the server ended:\n${lines.join('\n')}`)));
  });
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    dataDirectory,
    request: localFetch(dataDirectory),
    pid: child.pid ?? -1,
    said: () => lines,
    kill: () => end('SIGKILL'),
    async [Symbol.asyncDispose]() {
      await end('SIGTERM');
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
