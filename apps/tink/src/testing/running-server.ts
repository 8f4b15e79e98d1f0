/** Runs the real server as a child process on loopback with its own data folder, for tests. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { localFetch } from '@tinkerbell/sandbox/local-authorization';

export { freePort } from '@tinkerbell/sandbox/free-port';

const MAIN = join(import.meta.dirname, '../../../server/src/main.mjs');

export interface RunningServer {
  readonly url: string;
  readonly folder: string;
  /** `fetch` as the administrator of the server. */
  readonly request: ReturnType<typeof localFetch>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** `dhcpPort`: listens for DHCP on this port, on loopback. */
export async function runServer({
  dhcpPort,
  flags = [],
}: { readonly dhcpPort?: number; readonly flags?: readonly string[] } = {}): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tink-test-'));
  const localPort = await freePort();
  let { child, url } = await launch(folder, { port: 0, localPort, dhcpPort, flags });
  const { port } = new URL(url);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    url,
    folder,
    request: localFetch(join(folder, 'data')),
    kill,
    async start() {
      ({ child, url } = await launch(folder, { port: Number(port), localPort, dhcpPort, flags }));
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Deletes all Hardware, because a MAC may exist only once in all namespaces and the next test may use the same one. */
export async function forgetMachines({ url, request }: RunningServer): Promise<void> {
  const response = await request(`${url}/apis/tinkerbell.org/v1alpha1/hardware`);
  const { items } = (await response.json()) as { items: { metadata: { namespace: string; name: string } }[] };
  for (const { metadata } of items) {
    const path = `namespaces/${metadata.namespace}/hardware/${metadata.name}`;
    const gone = await request(`${url}/apis/tinkerbell.org/v1alpha1/${path}`, { method: 'DELETE' });
    await gone.body?.cancel();
  }
}

async function launch(
  folder: string,
  ports: {
    readonly port: number;
    readonly localPort: number;
    readonly dhcpPort: number | undefined;
    readonly flags: readonly string[];
  },
): Promise<{ child: ChildProcess; url: string }> {
  const { port, localPort, dhcpPort, flags: more } = ports;
  const dhcp =
    dhcpPort === undefined
      ? ['--dhcp-enabled=false']
      : ['--dhcp-bind-addr=127.0.0.1', `--dhcp-bind-port=${dhcpPort}`];
  const flags = [
    `--data-dir=${join(folder, 'data')}`,
    `--http-port=${port}`,
    '--bind-address=127.0.0.1',
    '--public-ipv4=127.0.0.1',
    '--tink-server-bind-port=0',
    `--local-api-port=${localPort}`,
    ...dhcp,
    '--tftp-server-enabled=false',
    '--syslog-enabled=false',
    '--tootles-legacy-port=0',
    '--log-format=json',
    ...more,
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
