/** The container image of the server: read by skopeo and umoci, and run by crun without root. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { missingForContainers } from '@tinkerbell/container-runtime/testing';
import { builtPackages } from './built-packages.ts';

const missing = missingForContainers();
const REAL = { timeout: 300_000, ...(missing === undefined ? {} : { skip: missing }) };
const SIZE_BYTES_MAX = 200e6;
const USER = 65_532;
const PORTS = ['42113/tcp', '514/udp', '67/udp', '69/udp', '7080/tcp', '7443/tcp'];
const run = promisify(execFile);
const base = mkdtempSync(join(tmpdir(), 'server-image-'));
after(() => rmSync(base, { recursive: true, force: true }));
let archive = '';
before(async () => {
  if (missing !== undefined) return;
  const hookDirectory = join(base, 'hook');
  mkdirSync(hookDirectory);
  writeFileSync(join(hookDirectory, 'vmlinuz-x86_64'), 'a kernel');
  const packages = await builtPackages({ outputDirectory: join(base, 'packages'), hookDirectory });
  archive = packages.get('tinkerbell_0.1.0_oci.tar') ?? '';
});

test('skopeo reads the archive as an OCI image and as one of Docker', REAL, async () => {
  assert.ok(statSync(archive).size < SIZE_BYTES_MAX);
  for (const transport of ['oci-archive', 'docker-archive']) {
    const { stdout } = await run('skopeo', ['inspect', '--config', `${transport}:${archive}`]);
    const { config } = JSON.parse(stdout);
    assert.equal(config.User, `${USER}:${USER}`);
    assert.deepEqual(config.Entrypoint, ['/usr/bin/tinkerbell']);
    assert.deepEqual(config.Volumes, { '/var/lib/tinkerbell': {} });
    assert.deepEqual(Object.keys(config.ExposedPorts).sort(), PORTS);
    assert.equal(config.Labels['org.opencontainers.image.version'], '0.1.0');
  }
});

/** Unpacks the image, and makes it read-only with a volume, as an operator of containers would run it. */
function container(flags: readonly string[]): string {
  const layout = `${join(base, 'layout')}:image`;
  execFileSync('skopeo', ['copy', '-q', `oci-archive:${archive}`, `oci:${layout}`]);
  const bundle = mkdtempSync(join(base, 'bundle-'));
  execFileSync('umoci', ['unpack', '--image', layout, bundle], { stdio: 'pipe' });
  const state = join(bundle, 'state');
  mkdirSync(state);
  chownSync(state, USER, USER);
  const path = join(bundle, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  const { process, root, mounts } = config;
  process.terminal = false;
  process.args.push(...flags);
  const sets = ['bounding', 'effective', 'permitted', 'inheritable', 'ambient'];
  process.capabilities = Object.fromEntries(sets.map((name) => [name, ['CAP_NET_BIND_SERVICE']]));
  root.readonly = true;
  config.mounts = [
    ...mounts.filter(({ destination }: { destination: string }) => !destination.startsWith('/sys')),
    { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['mode=1777'] },
    { destination: '/var/lib/tinkerbell', type: 'bind', source: state, options: ['bind', 'rw'] },
  ];
  delete config.hostname;
  config.linux = { namespaces: [{ type: 'mount' }, { type: 'pid' }] };
  writeFileSync(path, JSON.stringify(config));
  return bundle;
}

/** A network of its own, so that the ports are free. crun refuses a machine whose cgroups are of two versions. */
const RUN = 'ip link set lo up && mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"';

test('crun runs it with a read-only root and without root, and it becomes ready', REAL, async () => {
  const bundle = container(['--public-ipv4=127.0.0.1']);
  const crun = ['crun', '--root', join(bundle, 'crun'), '--cgroup-manager=disabled', 'run'];
  const words = ['-m', '-n', 'sh', '-c', RUN, 'sh', ...crun, '--bundle', bundle, `image-${process.pid}`];
  const child = spawn('unshare', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  try {
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.includes('"message":"ready"')) break;
    }
    child.stderr.resume();
    assert.match(lines.at(-1) ?? '', /"data":"\/var\/lib\/tinkerbell"/, lines.join('\n'));
    const inNetwork = ['--net', '-t', String(child.pid)];
    const { stdout } = await run('nsenter', [...inNetwork, 'curl', '-s', 'http://127.0.0.1:7080/readyz']);
    assert.equal(stdout, 'ok');
    const kernel = await run('nsenter', [
      ...inNetwork,
      'curl',
      '-s',
      'http://127.0.0.1:7080/hook/vmlinuz-x86_64',
    ]);
    assert.equal(kernel.stdout, 'a kernel');
    // The volume has what must outlive the container.
    assert.equal(statSync(join(bundle, 'state/tinkerbell.db')).uid, USER);
  } finally {
    child.kill('SIGTERM');
  }
  assert.deepEqual(await exited, [0, null]);
});
