/** Every action as an image: built here, read by skopeo and umoci, run by crun and by our agent. */
import assert from 'node:assert/strict';
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';

import { addPartitions, loopDevice } from '@tinkerbell/action-kit/testing';
import { StateType } from '@tinkerbell/api/agent';
import { action, isFinal, startServer } from '@tinkerbell/app-agent/testing';
import {
  localRegistry,
  missingForContainers,
  type LocalRegistry,
} from '@tinkerbell/container-runtime/testing';
import {
  buildActionImages,
  pushImages,
  recipesNamed,
  withCacheLock,
  type ActionImagesOptions,
  type BuiltImage,
} from '@tinkerbell/hook';

const cacheDirectory = join(import.meta.dirname, '../../.cache');
const AGENT = join(import.meta.dirname, '../../apps/agent/src/main.ts');
const missing = missingForContainers();
const REAL = { timeout: 600_000, ...(missing === undefined ? {} : { skip: missing }) };
const MEBIBYTE = 1024 * 1024;
/** What mounts, formats and writes files of any owner. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'MKNOD', 'SYS_ADMIN', 'SYS_CHROOT', 'SYS_RAWIO'].map(
  (name) => `CAP_${name}`,
);
const base = mkdtempSync(join(tmpdir(), 'action-images-'));
const layout = join(base, 'layout');
const cleanups: (() => void)[] = [];
after(() => {
  for (const task of cleanups.toReversed()) task();
  rmSync(base, { recursive: true, force: true });
});
let images: readonly BuiltImage[] = [];
let registry: LocalRegistry;
before(async () => {
  if (missing !== undefined) return;
  images = await built(layout);
  registry = await localRegistry({ after: (task) => void cleanups.push(task) });
});

function built(
  outputDirectory: string,
  chosen: Pick<ActionImagesOptions, 'recipes'> = {},
): Promise<readonly BuiltImage[]> {
  const own = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return withCacheLock(cacheDirectory, () =>
    buildActionImages({ outputDirectory, cacheDirectory, architectures: [own], ...chosen, onProgress() {} }),
  );
}

function diskOf(context: TestContext, name: string): string | undefined {
  const path = join(base, name);
  writeFileSync(path, '');
  truncateSync(path, 64 * MEBIBYTE);
  return loopDevice(context, path);
}

/** Unpacks an image with umoci. The container is what a runtime makes of it, with the devices of the machine. */
function bundleOf(name: string, environment: Readonly<Record<string, string>>, ...command: string[]): string {
  const bundle = mkdtempSync(join(base, `${name}-`));
  execFileSync('umoci', ['unpack', '--image', `${layout}:${name}`, bundle], { stdio: 'pipe' });
  const path = join(bundle, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  const own = new Set(['/dev', '/dev/pts', '/dev/shm', '/dev/mqueue', '/sys', '/sys/fs/cgroup']);
  config.process.args.push(...command);
  config.process.terminal = false;
  config.process.env.push(...Object.entries(environment).map(([key, value]) => `${key}=${value}`));
  config.process.capabilities = {
    bounding: CAPABILITIES,
    effective: CAPABILITIES,
    permitted: CAPABILITIES,
  };
  config.mounts = [
    ...config.mounts.filter(({ destination }: { destination: string }) => !own.has(destination)),
    { destination: '/dev', type: 'bind', source: '/dev', options: ['rbind', 'rw'] },
    { destination: '/sys', type: 'bind', source: '/sys', options: ['rbind', 'ro'] },
    { destination: '/given', type: 'bind', source: base, options: ['bind', 'ro'] },
  ];
  config.hostname = '';
  config.linux = {
    namespaces: [{ type: 'mount' }, { type: 'pid' }],
    resources: { devices: [{ allow: true, access: 'rwm' }] },
  };
  writeFileSync(path, JSON.stringify(config));
  return bundle;
}

function ran(name: string, environment: Readonly<Record<string, string>>, ...command: string[]) {
  const bundle = bundleOf(name, environment, ...command);
  const id = bundle.split('/').at(-1) ?? name;
  // crun refuses a machine whose cgroups are of two versions.
  const script = 'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"';
  const words = ['crun', '--cgroup-manager=disabled', 'run', '--bundle', bundle, id];
  return spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...words], { encoding: 'utf8' });
}

test('the same sources give the same digests', REAL, async () => {
  // With the base alone, with programs, and with a segment.
  const names = ['burnin', 'cexec', 'luks'];
  const again = await built(join(base, 'again'), { recipes: recipesNamed(names.join()) });
  const digestsOf = (list: readonly BuiltImage[]) =>
    list.map(({ name, manifests }) => [name, manifests.at(-1)?.digest]);
  assert.deepEqual(digestsOf(again), digestsOf(images.filter(({ name }) => names.includes(name))));
  assert.equal(again.length, names.length);
});

test('skopeo reads every image, and all share their base', REAL, () => {
  const bases = new Set<string>();
  for (const { name } of images) {
    const text = execFileSync('skopeo', ['inspect', `oci:${layout}:${name}`], { encoding: 'utf8' });
    const found = JSON.parse(text) as { Layers: string[]; Os: string; Labels: Record<string, string> };
    assert.equal(found.Os, 'linux');
    assert.equal(found.Labels['org.opencontainers.image.title'], name);
    bases.add(found.Layers[0] ?? '');
  }
  assert.ok(images.length > 15);
  assert.equal(bases.size, 1);
});

test('images of rootio and writefile prepare a disk with crun', REAL, (context) => {
  const device = diskOf(context, 'crun.disk');
  if (device === undefined) return;
  const storage = {
    disks: [{ device, partitions: [{ label: 'ROOT', number: 1, size: 0 }] }],
    filesystems: [
      { mount: { device: `${device}p1`, format: 'ext4', point: '/', create: { options: ['-L', 'ROOT'] } } },
    ],
  };
  writeFileSync(join(base, 'metadata.json'), JSON.stringify({ metadata: { instance: { storage } } }));
  const environment = { TEST: '1', JSON_FILE: '/given/metadata.json' };
  const partitioned = ran('rootio', environment, 'partition');
  assert.equal(partitioned.status, 0, partitioned.stderr);
  const remove = addPartitions(device);
  try {
    const formatted = ran('rootio', environment, 'format');
    assert.equal(formatted.status, 0, formatted.stderr);
    const written = ran('writefile', {
      DEST_DISK: `${device}p1`,
      FS_TYPE: 'ext4',
      DEST_PATH: '/etc/origin',
      CONTENTS: 'an image of an action',
      UID: '0',
      GID: '0',
      MODE: '0644',
      DIRMODE: '0755',
    });
    assert.equal(written.status, 0, written.stderr);
    assert.match(written.stdout, /wrote 21 bytes to \/etc\/origin/);
    const point = join(base, 'point');
    mkdirSync(point);
    execFileSync('mount', ['-o', 'ro', `${device}p1`, point]);
    try {
      assert.equal(readFileSync(join(point, 'etc/origin'), 'utf8'), 'an image of an action');
    } finally {
      execFileSync('umount', [point]);
    }
  } finally {
    remove();
  }
});

test('failures have the exit codes of upstream', REAL, () => {
  const command = ran('cexec', { BLOCK_DEVICE: '/dev/absent', FS_TYPE: 'ext4', CMD_LINE: 'true' });
  assert.equal(command.status, 30, command.stderr);
  assert.match(command.stderr, /\/dev\/absent is not a block device/);
  assert.equal(ran('cexec', {}).status, 20);
  const image = ran('image2disk', {});
  assert.equal(image.status, 1);
  assert.match(image.stderr, /IMG_URL is missing/);
  const reboot = ran('reboot', {});
  assert.equal(reboot.status, 1);
  assert.match(reboot.stderr, /set pid: host in the action/);
});

test('our agent pulls and runs a pushed image, and a second push sends nothing', REAL, async (context) => {
  const device = diskOf(context, 'agent.disk');
  if (device === undefined) return;
  execFileSync('mke2fs', ['-q', '-t', 'ext4', device]);
  const settings = { credentials: [], mirrors: {}, plainHttp: [registry.host] };
  const request = { target: `${registry.host}/lab`, tag: 'v1', settings, onProgress() {} };
  const chosen = images.filter(({ name }) => ['writefile', 'cexec'].includes(name));
  const first = await pushImages(chosen, request);
  assert.ok(first[0] !== undefined && first[0].sentBlobs > 3);
  assert.equal(first[1]?.sentBlobs, 1, 'layers are mounted, so that only the configuration is sent');
  for (const { sentBytes } of await pushImages(chosen, request)) assert.equal(sentBytes, 0);

  const environment = Object.entries({
    DEST_DISK: device,
    FS_TYPE: 'ext4',
    DEST_PATH: '/origin',
    CONTENTS: 'the agent',
    UID: '0',
    GID: '0',
    MODE: '0600',
    DIRMODE: '0755',
  }).map(([key, value]) => `${key}=${value}`);
  const image = `${registry.host}/lab/writefile:v1`;
  const server = await startServer(context, [action({ name: 'it', image, environment })]);
  const flags = [
    '--id=agent-1',
    `--grpc-server=${server.address}`,
    `--spool-directory=${join(base, 'spool')}`,
    `--registry-plain-http=${registry.host}`,
  ];
  const agent = fork(AGENT, flags, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  context.after(() => void agent.kill('SIGKILL'));
  let printed = '';
  agent.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const report = (await server.reportsUntil(isFinal)).find(isFinal);
  assert.equal(report?.actionState, StateType.SUCCESS, `${report?.message?.message}\n${printed}`);
  assert.match(printed, /wrote 9 bytes to \/origin/);
});
