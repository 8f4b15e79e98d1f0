/** The real server as a child on loopback, with a data folder of its own; for tests. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../../server/src/main.mjs');

export interface RunningServer {
  readonly url: string;
  readonly folder: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export async function runServer(): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tink-test-'));
  let { child, url } = await launch(folder, 0);
  const { port } = new URL(url);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    url,
    folder,
    kill,
    async start() {
      ({ child, url } = await launch(folder, Number(port)));
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

async function launch(folder: string, port: number): Promise<{ child: ChildProcess; url: string }> {
  const flags = [
    `--data-dir=${join(folder, 'data')}`,
    `--http-port=${port}`,
    '--bind-address=127.0.0.1',
    '--public-ipv4=127.0.0.1',
    '--tink-server-bind-port=0',
    '--dhcp-enabled=false',
    '--tftp-server-enabled=false',
    '--syslog-enabled=false',
    '--tootles-legacy-port=0',
    '--log-format=json',
  ];
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  const log: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    log.push(line);
    const ready = /"http":"([^"]+)".*"message":"ready"/.exec(line);
    if (ready === null) continue;
    child.stderr.resume();
    return { child, url: ready[1] ?? '' };
  }
  throw new Error(`the server did not start:\n${log.join('\n')}`);
}
