/** A minimal Debian whose systemd runs in a container, in a network with one client. It starts in a second. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDebianArchive, runCommand } from '@tinkerbell/hook';

const run = promisify(execFile);
const SUITE = 'bookworm';
const PACKAGES = ['systemd-sysv', 'dbus', 'adduser', 'iproute2', 'libatomic1', 'libstdc++6', 'man-db'];
const POLL_MS = 200;
/** How long the processes inside may take to end. */
const END_MS = 20_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'TERM=dumb', 'LC_ALL=C.UTF-8'];

/** The server's and the client's address, and the client's MAC. */
export const SERVER_ADDRESS = '192.168.77.1';
export const CLIENT_MAC = '52:54:00:00:00:01';

/** Returns why the container cannot run here, or undefined. */
export function missingForDebian(): string | undefined {
  const programs = ['mmdebstrap', 'systemd-nspawn', 'dpkg-deb', 'ip', 'nsenter', 'busybox', 'curl'];
  const missing = programs.filter((one) => spawnSync('which', [one]).status !== 0);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  return process.getuid?.() === 0 ? undefined : 'a container needs root';
}

export interface Finished {
  readonly status: number;
  /** Of standard output and standard error. */
  readonly text: string;
}

export interface BootedDebian extends AsyncDisposable {
  /** The folder of its files. */
  readonly root: string;
  /** Runs a shell script inside, as root. */
  inside(script: string): Promise<Finished>;
  /** Runs a program of this machine in the network of the client. */
  readonly client: (program: string, ...words: readonly string[]) => Promise<Finished>;
  /** The network namespaces of the server, which has eth1, and of the client, which has eth0: files for nsenter. */
  readonly networks: { readonly server: string; readonly client: string };
  /** Runs the script inside until its output matches, and returns the output. Rejects with the last output after the limit. */
  until(script: string, pattern: RegExp, limitMs?: number): Promise<string>;
}

export async function bootedDebian(folder: string, cacheDirectory: string): Promise<BootedDebian> {
  const root = join(folder, 'root');
  await using cleanup = new AsyncDisposableStack();
  await installed(root, cacheDirectory);
  // The last processes inside may still write while they end.
  cleanup.defer(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));
  const names = { server: `deb-s-${process.pid}`, client: `deb-c-${process.pid}` };
  openNetwork(names, cleanup);
  const words = ['--register=no', '--keep-unit', '--boot', '--console=pipe', '--directory', root];
  const child = spawn('systemd-nspawn', [...words, `--network-namespace-path=/run/netns/${names.server}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.resume();
  const exited = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const leader = await leaderOf(child.pid ?? 0);
  const inside = (script: string): Promise<Finished> =>
    finished('nsenter', ['-t', leader, '-a', 'env', '-i', ...ENVIRONMENT, 'sh', '-c', script]);
  const until = untilOf(inside);
  cleanup.defer(async () => {
    const ending = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await inside('systemctl poweroff');
    await exited;
    clearTimeout(ending);
  });
  await until('systemctl is-system-running', /^(?:running|degraded)/);
  const running = cleanup.move();
  return {
    root,
    inside,
    until,
    networks: { server: `/run/netns/${names.server}`, client: `/run/netns/${names.client}` },
    client: (...line) => finished('ip', ['netns', 'exec', names.client, ...line]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function installed(root: string, cacheDirectory: string): Promise<void> {
  const archive = await openDebianArchive({ suite: SUITE, cacheDirectory });
  await writeFile(`${root}.sources.list`, archive.sources);
  await runCommand('mmdebstrap', [
    '--mode=root',
    '--variant=minbase',
    '--format=directory',
    `--include=${PACKAGES.join(',')}`,
    '--aptopt=Apt::Install-Recommends "false"',
    '--dpkgopt=force-unsafe-io',
    SUITE,
    root,
    `${root}.sources.list`,
  ]);
}

/** Two namespaces with a cable between them. */
function openNetwork(
  { server, client }: { readonly server: string; readonly client: string },
  cleanup: AsyncDisposableStack,
): void {
  const ip = (...words: readonly string[]): void => void execFileSync('ip', words);
  for (const name of [server, client]) {
    ip('netns', 'add', name);
    cleanup.defer(() => ip('netns', 'delete', name));
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }
  ip('-n', server, 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', client);
  ip('-n', server, 'address', 'add', `${SERVER_ADDRESS}/24`, 'dev', 'eth1');
  ip('-n', server, 'link', 'set', 'eth1', 'up');
  ip('-n', client, 'link', 'set', 'eth0', 'address', CLIENT_MAC, 'up');
}

/** The first process inside, as this machine numbers it. */
async function leaderOf(pid: number): Promise<string> {
  for (;;) {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    if (first !== undefined && first !== '' && /systemd|init/.test(commandOf(first))) return first;
    await pause();
  }
}

function commandOf(pid: string): string {
  const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  return name === 'systemd-nspawn' || name === '(sd-inner)' ? '' : name;
}

function untilOf(inside: BootedDebian['inside']): BootedDebian['until'] {
  return async (script, pattern, limitMs = 60_000) => {
    const endMs = performance.now() + limitMs;
    for (;;) {
      const { text } = await inside(script);
      if (pattern.test(text)) return text;
      if (performance.now() > endMs) throw new Error(`${script} did not print ${pattern}, but:\n${text}`);
      await pause();
    }
  };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function finished(program: string, words: readonly string[]): Promise<Finished> {
  try {
    const { stdout, stderr } = await run(program, [...words], { maxBuffer: OUTPUT_BYTES_MAX });
    return { status: 0, text: stdout + stderr };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string };
    return { status: code, text: stdout + stderr };
  }
}
