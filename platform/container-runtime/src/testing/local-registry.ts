/** Debian's registry on loopback, with images that umoci builds and skopeo pushes. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hashSync } from 'bcryptjs';

export interface TestImage {
  readonly name: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: readonly string[];
  readonly user?: string;
  readonly workingDirectory?: string;
  /** Added to busybox, and to /etc/passwd with the user `worker` (1000). */
  readonly files?: Readonly<Record<string, string>>;
  /** Of another processor (default: this machine's). */
  readonly platform?: { readonly architecture: string; readonly busybox: Uint8Array };
  /** Of the layers: gzip unless zstd is asked for. */
  readonly compression?: 'gzip' | 'zstd';
}

export interface LocalRegistry {
  readonly host: string;
  push(image: TestImage): void;
}

/** The reason why containers cannot run here, or undefined. */
export function missingForContainers(): string | undefined {
  const programs = ['crun', 'umoci', 'skopeo', 'docker-registry', 'busybox', 'unshare'];
  const missing = programs.filter((one) => spawnSync('which', [one]).status !== 0);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  return process.getuid?.() === 0 ? undefined : 'containers need root';
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** With a login, the registry serves nobody else. */
export async function localRegistry(
  context: { after(task: () => void): void },
  login?: Login,
): Promise<LocalRegistry> {
  const directory = mkdtempSync(join(tmpdir(), 'local-registry-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const configuration = {
    version: 0.1,
    log: { formatter: 'text', level: 'info' },
    storage: { filesystem: { rootdirectory: join(directory, 'store') } },
    http: { addr: '127.0.0.1:0' },
    ...(login === undefined ? {} : { auth: { htpasswd: { realm: 'test', path: join(directory, 'users') } } }),
  };
  writeFileSync(join(directory, 'config.yml'), JSON.stringify(configuration));
  if (login !== undefined)
    writeFileSync(join(directory, 'users'), `${login.username}:${hashSync(login.password, 4)}\n`);
  const server = spawn('docker-registry', ['serve', join(directory, 'config.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  context.after(() => void server.kill('SIGKILL'));
  const host = await new Promise<string>((resolve, reject) => {
    server.once('close', () => reject(new Error('docker-registry ended')));
    createInterface({ input: server.stderr }).on('line', (line) => {
      const listening = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  });
  return { host, push: (image) => push(image, { host, directory, login }) };
}

interface Place {
  readonly host: string;
  readonly directory: string;
  readonly login: Login | undefined;
}

/** Builds an image with umoci in an empty directory. Returns its OCI layout and the tag in it: `<path>:latest`. */
export function buildLayout(image: TestImage, work: string): string {
  const reference = `${work}/layout:latest`;
  const umoci = (...args: string[]) => execFileSync('umoci', args, { stdio: 'pipe' });
  umoci('init', '--layout', `${work}/layout`);
  umoci('new', '--image', reference);
  for (const [index, root] of [
    busyboxTree(join(work, 'base'), image.platform?.busybox),
    filesTree(join(work, 'files'), image),
  ].entries()) {
    const layer = `${work}/${index}.tar`;
    execFileSync('tar', ['-cf', layer, '--numeric-owner', '-C', root, '.']);
    umoci('raw', 'add-layer', '--image', reference, layer);
  }
  const options = [
    ...(image.entrypoint ?? []).flatMap((one) => ['--config.entrypoint', one]),
    ...(image.command ?? []).flatMap((one) => ['--config.cmd', one]),
    ...(image.environment ?? []).flatMap((one) => ['--config.env', one]),
    ...(image.platform === undefined ? [] : ['--architecture', image.platform.architecture]),
    ...(image.user === undefined ? [] : ['--config.user', image.user]),
    ...(image.workingDirectory === undefined ? [] : ['--config.workingdir', image.workingDirectory]),
  ];
  umoci('config', '--image', reference, '--os', 'linux', ...options);
  return reference;
}

function push(image: TestImage, { host, directory, login }: Place): void {
  const reference = buildLayout(image, mkdtempSync(join(directory, 'image-')));
  const compression = ['--dest-compress-format', image.compression ?? 'gzip', '--format', 'oci'];
  const credentials = login === undefined ? [] : ['--dest-creds', `${login.username}:${login.password}`];
  const target = [
    '--dest-tls-verify=false',
    ...credentials,
    `oci:${reference}`,
    `docker://${host}/${image.name}`,
  ];
  execFileSync('skopeo', ['--insecure-policy', 'copy', ...compression, '--dest-compress', ...target], {
    stdio: 'pipe',
  });
}

function busyboxTree(root: string, foreign: Uint8Array | undefined): string {
  mkdirSync(join(root, 'bin'), { recursive: true });
  const target = join(root, 'bin', 'busybox');
  if (foreign === undefined) cpSync(execFileSync('which', ['busybox'], { encoding: 'utf8' }).trim(), target);
  else writeFileSync(target, foreign, { mode: 0o755 });
  const applets = [
    'sh',
    'cat',
    'echo',
    'sleep',
    'id',
    'ls',
    'env',
    'pwd',
    'setsid',
    'ps',
    'touch',
    'true',
    'mount',
  ];
  for (const name of applets) execFileSync('ln', ['-s', 'busybox', join(root, 'bin', name)]);
  return root;
}

function filesTree(root: string, { files = {} }: TestImage): string {
  mkdirSync(join(root, 'etc'), { recursive: true });
  const accounts = { 'etc/passwd': 'root:x:0:0::/root:/bin/sh\nworker:x:1000:1001::/home/worker:/bin/sh\n' };
  for (const [name, content] of Object.entries({ ...accounts, ...files })) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), content, { mode: 0o755 });
  }
  return root;
}
