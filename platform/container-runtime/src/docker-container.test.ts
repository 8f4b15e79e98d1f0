/** Real containers through a Docker daemon of this test. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { runWithDocker, type ContainerOrder } from './index.ts';
import { CAPABILITIES } from './runtime-config.ts';
import { DockerApi } from './docker-api.ts';
import { readDockerOutput } from './docker-output.ts';
import { localRegistry, missingForContainers, type LocalRegistry } from './testing/local-registry.ts';

const missing =
  spawnSync('which', ['dockerd']).status === 0 ? missingForContainers() : 'not installed: dockerd';
const base = mkdtempSync(join(tmpdir(), 'docker-container-'));
const socket = join(base, 'docker.sock');
const cleanups: (() => void | Promise<void>)[] = [];
let registry: LocalRegistry;
before(async () => {
  if (missing !== undefined) return;
  registry = await localRegistry({ after: (task) => void cleanups.push(task) });
  registry.push({ name: 'plain:latest', entrypoint: ['sh', '-c'], command: ['echo from the image'] });
  const places = [
    '--data-root',
    join(base, 'data'),
    '--exec-root',
    join(base, 'exec'),
    '--pidfile',
    join(base, 'pid'),
  ];
  // No bridge and no packet filter, so that the test changes nothing of the machine's network.
  const runtime = ['--add-runtime', `permitted=${permittedRuntime(base)}`, '--default-runtime=permitted'];
  const isolated = ['--bridge=none', '--iptables=false', '--storage-driver=vfs', '-H', `unix://${socket}`];
  const daemon = spawn('dockerd', [...places, ...runtime, ...isolated], { stdio: 'ignore' });
  cleanups.push(async () => {
    const ended = new Promise((resolve) => daemon.once('close', resolve));
    daemon.kill('SIGTERM');
    await ended;
  });
  const isRunning = () => daemon.exitCode === null;
  while (isRunning() && !(await isReady())) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(isRunning(), 'dockerd runs');
});
after(async () => {
  for (const task of cleanups.toReversed()) await task();
  // Docker leaves the mounts of its network namespaces.
  for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
    const place = line.split(' ')[1] ?? '';
    if (place.startsWith(`${base}/`)) spawnSync('umount', ['-l', place]);
  }
  rmSync(base, { recursive: true, force: true });
});

async function isReady(): Promise<boolean> {
  if (!existsSync(socket)) return false;
  return new DockerApi(socket).call({ method: 'GET', path: '/version' }).then(
    () => true,
    () => false,
  );
}

/**
 * A runtime for machines that are containers themselves. Docker asks for every capability of a privileged container, and this one
 * for those that the machine has.
 */
function permittedRuntime(directory: string): string {
  const bits = BigInt(`0x${/^CapBnd:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]}`);
  const names = CAPABILITIES.filter((_, bit) => (bits >> BigInt(bit)) & 1n).map((name) => `CAP_${name}`);
  const path = join(directory, 'permitted-runtime');
  const script = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
const bundle = args[args.indexOf('--bundle') + 1];
if (args.includes('create')) {
  const config = JSON.parse(readFileSync(bundle + '/config.json', 'utf8'));
  const sets = config.process.capabilities;
  for (const set of Object.keys(sets)) sets[set] = sets[set].filter((one) => ${JSON.stringify(names)}.includes(one));
  writeFileSync(bundle + '/config.json', JSON.stringify(config));
}
process.exitCode = require('node:child_process').spawnSync('runc', args, { stdio: 'inherit' }).status;
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const REAL = { timeout: 120_000, ...(missing === undefined ? {} : { skip: missing }) };

async function run(order: Partial<ContainerOrder>, stopAt = ''): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const stop = new AbortController();
  const whole = { command: [], environment: {}, volumes: [], pidNamespace: '', networkNamespace: 'host' };
  const code = await runWithDocker(
    { image: `${registry.host}/plain`, ...whole, ...order },
    {
      registries: { credentials: [], mirrors: {}, plainHttp: [] },
      clock: {
        nowMs: () => 0,
        monotonicMs: () => 0,
        schedule: (_, task) => (setImmediate(task), () => undefined),
      },
      random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)), fraction: () => 0 },
      log,
      socket,
      signal: stop.signal,
      onProgress: () => undefined,
      onLine(stream, line) {
        lines.push(`${stream}: ${line}`);
        if (line === stopAt) stop.abort();
      },
    },
  );
  return { code, lines };
}

test('runs an image through Docker with its exit code and both outputs', REAL, async () => {
  assert.deepEqual(await run({}), { code: 0, lines: ['stdout: from the image'] });
  const environment = { A: 'a=b' };
  const ran = await run({
    command: ['echo $A; cat /data/name; exit 7'],
    environment,
    volumes: ['/etc/hostname:/data/name:ro'],
  });
  assert.equal(ran.code, 7);
  assert.deepEqual(ran.lines.slice(0, 2), [
    'stdout: a=b',
    `stdout: ${readFileSync('/etc/hostname', 'utf8').trim()}`,
  ]);
  const failed = await run({ command: ['echo wrong >&2; exit 1'] });
  assert.deepEqual(failed, { code: 1, lines: ['stderr: wrong'] });
});

test('stops a container that ignores its stop signal, and removes it', REAL, async () => {
  const { code } = await run(
    { command: ['trap "" TERM; setsid sleep 76543 & echo started; while :; do sleep 1; done'] },
    'started',
  );
  assert.equal(code, 137);
  const left = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('76543');
    } catch {
      return false;
    }
  });
  assert.deepEqual(left, []);
  assert.deepEqual(await new DockerApi(socket).call({ method: 'GET', path: '/containers/json?all=1' }), []);
});

test('errors have the message of Docker', REAL, async () => {
  await assert.rejects(
    run({ image: `${registry.host}/absent:v1` }),
    /Docker .*: manifest for .*absent:v1 not found/,
  );
  await assert.rejects(
    run({ command: ['true'], volumes: ['a:b:c:d:e'] }),
    /Docker refused \/containers\/create: status \d+: invalid volume/,
  );
});

test('the frames of output are read wherever the chunks are', async () => {
  const frame = (stream: number, text: string): Buffer => {
    const header = Buffer.alloc(8);
    header[0] = stream;
    header.writeUInt32BE(text.length, 4);
    return Buffer.concat([header, Buffer.from(text)]);
  };
  const bytes = Buffer.concat([frame(1, 'one\ntw'), frame(2, 'error\n'), frame(1, ''), frame(1, 'o\n')]);
  for (let length = 1; length <= bytes.length; length += 1) {
    async function* chunks(): AsyncGenerator<Buffer, void> {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
    }
    const lines: string[] = [];
    await readDockerOutput(chunks(), (stream, line) => void lines.push(`${stream} ${line}`));
    assert.deepEqual(lines, ['stdout one', 'stderr error', 'stdout two']);
  }
});
