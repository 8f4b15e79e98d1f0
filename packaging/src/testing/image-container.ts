/** The container image of the server, as an operator runs it: a read-only root, a volume, no user root, and one capability. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The user of the image. */
export const USER = 65_532;
const LINES_KEPT = 50;

export interface ImageContainerRequest {
  /** A folder for its files. */
  readonly directory: string;
  /** The archive with the image. */
  readonly archive: string;
  readonly flags: readonly string[];
  /** Folders of this machine that it has, by their places inside. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** True: in a network of its own. False: in that of this process. */
  readonly ownNetwork: boolean;
}

export interface ImageContainer extends AsyncDisposable {
  /** A process in its network. */
  readonly pid: number;
  /** The folder of its volume. */
  readonly state: string;
  /** The line that says that it is ready. */
  readonly ready: string;
  /** From the start of crun to that line. */
  readonly readySeconds: number;
  /** The end of its log. */
  tail(): readonly string[];
  /** Sends SIGTERM. Resolves with exit code and signal. */
  stop(): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

/** Resolves when the server inside is ready. @throws Error with its log when it ends before. */
export async function startImageContainer(request: ImageContainerRequest): Promise<ImageContainer> {
  const { bundle, state } = unpacked(request);
  const crun = ['crun', '--root', join(bundle, 'crun'), '--cgroup-manager=disabled', 'run'];
  // crun refuses a machine whose cgroups are of two versions.
  const script = 'ip link set lo up && mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"';
  const words = ['sh', '-c', script, 'sh', ...crun, '--bundle', bundle, `image-${process.pid}`];
  const own = request.ownNetwork ? ['-n'] : [];
  const startedMs = performance.now();
  const child = spawn('unshare', ['-m', ...own, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const stop = (): typeof exited => {
    child.kill('SIGTERM');
    return exited;
  };
  let lines: string[] = [];
  const ready = await lineReady(child, (line) => {
    lines = [...lines, line].slice(-LINES_KEPT);
  });
  if (ready === undefined) throw new Error(`the container does not start:\n${lines.join('\n')}`);
  const pid = child.pid ?? 0;
  const readySeconds = (performance.now() - startedMs) / 1000;
  return {
    pid,
    state,
    ready,
    readySeconds,
    tail: () => lines,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Resolves with undefined when its log ends before. */
function lineReady({ stderr }: ChildProcess, onLine: (line: string) => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (stderr === null) return resolve(undefined);
    const log = createInterface({ input: stderr });
    log.on('line', (line) => {
      onLine(line);
      if (line.includes('"message":"ready"')) resolve(line);
    });
    log.on('close', () => resolve(undefined));
  });
}

/** Unpacks the image. */
function unpacked({ directory, archive, flags, mounts = {} }: ImageContainerRequest) {
  const bundle = mkdtempSync(join(directory, 'bundle-'));
  const layout = `${join(bundle, 'layout')}:image`;
  execFileSync('skopeo', ['copy', '-q', `oci-archive:${archive}`, `oci:${layout}`]);
  execFileSync('umoci', ['unpack', '--image', layout, join(bundle, 'unpacked')], { stdio: 'pipe' });
  const state = join(bundle, 'state');
  mkdirSync(state);
  chownSync(state, USER, USER);
  const config = JSON.parse(readFileSync(join(bundle, 'unpacked/config.json'), 'utf8'));
  const { process: program, root, mounts: system } = config;
  program.terminal = false;
  program.args.push(...flags);
  const sets = ['bounding', 'effective', 'permitted', 'inheritable', 'ambient'];
  program.capabilities = Object.fromEntries(sets.map((name) => [name, ['CAP_NET_BIND_SERVICE']]));
  root.readonly = true;
  root.path = join(bundle, 'unpacked/rootfs');
  const bind = (destination: string, source: string, mode: string) => ({
    destination,
    type: 'bind',
    source,
    options: ['bind', mode],
  });
  config.mounts = [
    ...system.filter(({ destination }: { destination: string }) => !destination.startsWith('/sys')),
    { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['mode=1777'] },
    bind('/var/lib/tinkerbell', state, 'rw'),
    // The root is read-only, so their places must exist.
    ...Object.entries(mounts).map(([destination, source]) => bind(destination, source, 'ro')),
  ];
  for (const place of Object.keys(mounts)) mkdirSync(join(root.path, place), { recursive: true });
  delete config.hostname;
  config.linux = { namespaces: [{ type: 'mount' }, { type: 'pid' }] };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
  return { bundle, state };
}
