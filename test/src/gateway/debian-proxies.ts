/**
 * Runs Debian's nginx and HAProxy with the configurations of deploy/, with ports of loopback instead of those
 * in the files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';

const deploy = join(import.meta.dirname, '../../../deploy');

export interface ProxySite {
  /** Has tls.crt, tls.key, tls.pem and issuer.pem. */
  readonly directory: string;
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly issuer: string;
}

export interface Proxy extends AsyncDisposable {
  readonly httpsPort: number;
  readonly metadataPort: number;
}

type Ports = Pick<Proxy, 'httpsPort' | 'metadataPort'>;

export async function startNginx(site: ProxySite): Promise<Proxy> {
  const ports = { httpsPort: await freePort(), metadataPort: await freePort() };
  const text = filled('nginx/tinkerbell.conf', site, [
    ['listen 443 ', `listen 127.0.0.1:${ports.httpsPort} `],
    ['listen 50061', `listen 127.0.0.1:${ports.metadataPort}`],
  ]);
  const work = join(site.directory, 'nginx');
  mkdirSync(work);
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = bodies.map((name) => `${name}_temp_path ${work}/${name};`).join(' ');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const file = join(work, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${work}/pid; ${user} events {}\nhttp { access_log off; ${temporary}\n${text}\n}\n`,
  );
  return started(['nginx', '-p', work, '-e', 'stderr', '-c', file], ports);
}

export async function startHaproxy(site: ProxySite): Promise<Proxy> {
  const ports = { httpsPort: await freePort(), metadataPort: await freePort() };
  const text = filled('haproxy/haproxy.cfg', site, [
    ['bind :443 ', `bind 127.0.0.1:${ports.httpsPort} `],
    ['bind :50061', `bind 127.0.0.1:${ports.metadataPort}`],
    ['https://keycloak.example.org/realms/master', site.issuer],
  ]);
  const file = join(site.directory, 'haproxy.cfg');
  writeFileSync(file, text);
  return started(['haproxy', '-f', file], ports);
}

/** @throws Error when the file has nothing to be replaced. */
function filled(file: string, site: ProxySite, own: readonly (readonly [string, string])[]): string {
  const changes = [
    ...own,
    ['10.0.0.5:42113', `127.0.0.1:${site.grpcPort}`],
    ['10.0.0.5:7080', `127.0.0.1:${site.httpPort}`],
    ['/etc/tinkerbell-proxy', site.directory],
  ] as const;
  let text = readFileSync(join(deploy, file), 'utf8');
  for (const [what, by] of changes) {
    if (!text.includes(what)) throw new Error(`deploy/${file} has no ${what}`);
    text = text.replaceAll(what, by);
  }
  return text;
}

const ATTEMPTS = 200;

/** Resolves when it accepts connections. @throws Error with its output when it ends. */
async function started(command: readonly string[], ports: Ports): Promise<Proxy> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  for (let attempt = 1; !(await isTaken(ports.httpsPort)); attempt += 1) {
    if (child.exitCode !== null || attempt === ATTEMPTS) throw new Error(`${command.join(' ')}: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    ...ports,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function isTaken(port: number): Promise<boolean> {
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
